"""Convert letter names in phonetic script to letters, with noise: some targets are wrong on purpose.

The best possible score is known exactly, so one can see when a model has learned and when it has memorised.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from math import log

from core.plugin import DatasetPlugin, Options, Pair, Split, option

LETTER_OF = {
    "ei": "a", "bi:": "b", "si:": "c", "di:": "d", "i:": "e", "ef": "f", "dʒi:": "g", "eit∫": "h", "ai": "i",
    "dʒei": "j", "kei": "k", "el": "l", "em": "m", "en": "n", "əu": "o", "pi:": "p", "kju:": "q", "ɑ:": "r",
    "es": "s", "ti:": "t", "ju:": "u", "vi:": "v", "d∧blju:": "w", "eks": "x", "wai": "y", "zi:": "z",
}  # fmt: skip
NAMES = list(LETTER_OF)
LETTERS = list(LETTER_OF.values())
TRAIN_SHARE = 0.8


class PhoneticOptions(Options):
    count: int = option(10_000, ge=10, le=1_000_000, help="Lines: 80 % train, 20 % valid; test has as many as valid.")
    length: int = option(6, ge=1, le=100, help="Letters in each line. Short lines occur in several splits.")
    keep_probability: float = option(
        0.9,
        ge=0.0,
        le=1.0,
        label="Keep probability",
        help="How likely a letter is kept; otherwise a random one takes its place.",
    )


class PhoneticToLetter(DatasetPlugin[PhoneticOptions]):
    """Read letter names in phonetic script and write the letters; some targets are noise.

    Valid is the 20 % of `count` that is not in train. Test is as large as valid and drawn independently, so looking at
    it reveals nothing about valid.

    Each split draws its lines independently, so short lines are repeated: of 10,000 lines with three letters, a third
    of valid is in train too; with six letters, none. Their noise is drawn again, so the limits hold, but correct
    letters may then be memorised; `plugins check` says how many lines are affected.

    What to look for in the preset (one layer; seeds 0 and 1; figures are shares of a row):

    - cross: every head finds the diagonal between steps 50 (at most 0.27) and 125 (at least 0.84). In the end it has
      0.98 or 0.99, also in rows whose target is noise: they read the right name.
    - Teacher-forced, the letter of the name has a probability of 0.94, and noise one of about 0.002. The row after
      noise, which reads the wrong letter, still has 0.95 or more on the diagonal.
    - curves: from step 150 on `letters_clean` is 1.00, and `letters_noisy` at its limit of 0.90. The validation loss
      falls from 0.61 to 0.58 and stays above the noise floor, 0.54.
    - encoder self: a diagonal, 0.56 to 0.79, in at least three heads: each name attends to itself, as it needs no
      other.
    """

    name = "phonetic_to_letter"
    title = "Phonetic script to letters"
    tokenizer = "whitespace"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        num_train = round(TRAIN_SHARE * self.options.count)
        for _ in range(num_train if split == "train" else self.options.count - num_train):
            yield self._line(rng)

    def _line(self, rng: random.Random) -> Pair:
        names = rng.choices(NAMES, k=self.options.length)
        letters = [self._noisy(LETTER_OF[name], rng) for name in names]
        return Pair(
            " ".join(names), " ".join(letters), alignment=[(position, position) for position in range(len(names))]
        )

    def _noisy(self, letter: str, rng: random.Random) -> str:
        """Keep a letter with probability r; else draw one of all 26, which may be the right one by chance."""
        return letter if rng.random() < self.options.keep_probability else rng.choice(LETTERS)

    def metrics(self, pairs: Sequence[Pair], hypotheses: Sequence[str]) -> Mapping[str, float]:
        """Fractions of letters right in their place, against the clean mapping and against the noisy targets."""
        clean = [clean_letters(pair.source) for pair in pairs]
        noisy = [pair.target.split() for pair in pairs]
        written = [hypothesis.split() for hypothesis in hypotheses]
        return {"letters_clean": _fraction_right(clean, written), "letters_noisy": _fraction_right(noisy, written)}

    def limits(self) -> Mapping[str, float]:
        """The noise floors. `<eos>` is certain after `length` letters, so it counts as a token without loss."""
        right, wrong = letter_probabilities(self.options.keep_probability)
        entropy = -sum(count * p * log(p) for count, p in ((1, right), (25, wrong)) if p > 0)
        best = max(right, wrong)
        length = self.options.length
        return {
            "valid/loss": entropy * length / (length + 1),
            "valid/token_accuracy": (best * length + 1) / (length + 1),
            "valid/letters_clean": 1.0,
            "valid/letters_noisy": best,
        }

    def examples(self) -> list[str]:
        return [" ".join(NAMES[start : start + self.options.length]) for start in (0, 6, 12, 18)]


def clean_letters(source: str) -> list[str]:
    """Return the letters that the names in `source` stand for, without noise."""
    return [LETTER_OF[name] for name in source.split()]


def letter_probabilities(keep_probability: float) -> tuple[float, float]:
    """Return the probability that a target is the letter of its name, and that of each other letter."""
    wrong = (1 - keep_probability) / len(LETTERS)
    return keep_probability + wrong, wrong


def _fraction_right(references: Sequence[Sequence[str]], written: Sequence[Sequence[str]]) -> float:
    """Return the fraction of reference letters that are in the same place in the output."""
    right = sum(
        letter == guess
        for reference, guesses in zip(references, written, strict=True)
        for letter, guess in zip(reference, guesses, strict=False)
    )
    return right / sum(map(len, references))


PLUGIN = PhoneticToLetter
