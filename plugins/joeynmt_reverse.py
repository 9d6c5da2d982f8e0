"""Write a list of numbers backwards, as in JoeyNMT's tutorial: few, long pairs, and longer ones held out."""

import random
from collections.abc import Iterator, Mapping, Sequence

from core.plugin import DatasetPlugin, Options, Pair, Split, draw_for, option

HELD_OUT = 1000
LONGER_BY = 5  # than any list of the train split


class JoeyReverseOptions(Options):
    num_numbers: int = option(50, ge=2, le=10_000, label="Numbers", help="How many different numbers, from 0 up.")
    max_length: int = option(25, ge=1, le=200, help="Numbers in the longest train list; the shortest has one.")
    num_pairs: int = option(50_000, ge=1, le=1_000_000, label="Train pairs", help="Pairs to train on.")

    def check(self) -> None:
        if self.num_numbers**self.max_length < HELD_OUT:
            raise ValueError(f"{self.num_numbers} numbers in lists of {self.max_length} are too few different lists")


class JoeyReverse(DatasetPlugin[JoeyReverseOptions]):
    """Reverse lists of numbers: 50,000 to train on, and held-out lists up to five numbers longer than any of those.

    JoeyNMT's `generate_reverse_task.py` draws train lists of 1 to 25 numbers, and valid and test lists of 1 to 30.
    What a Transformer with sinusoidal positions learns about position 25 says little about position 26, so lists of
    trained lengths and longer lists are scored separately. Unlike there, no list is in two splits.

    What to look for in the trained preset (one layer; seeds 0 and 1; figures are shares of a row):

    - cross, lists of trained lengths: three of four heads draw a line from the upper right to the lower left, 0.82 to
      0.87 on the number to be written. The fourth has 0.20 to 0.31 there, and more on the number just written.
    - The line appears between steps 90 and 240, while the loss falls from 3.2 to below 0.3; later it grows sharper.
    - cross, longer lists: the line is lost. No head has more than 0.16 on the number to be written, and the output for
      26 to 30 numbers ends after 22 to 27.
    - curves: the validation loss rises, from 1.6 or 1.7 at step 300 to 2.7 or 3.2, while exact match of trained lengths
      rises from below 0.7 to 1.00. That loss is due to the longer lists: 10 to 12 nats a token in the end, and
      of trained lengths less than 0.0001.
    - encoder self: a bright column at `<eos>`, 0.21 to 0.47 of each row. Counting from the end requires knowing where
      the end is.
    - decoder self: the row's own position, 0.21 to 0.46, and the one before, 0.24 to 0.35.
    """

    name = "joeynmt_reverse"
    title = "Reverse numbers (JoeyNMT)"
    tokenizer = "whitespace"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        is_train = split == "train"
        longest = self.options.max_length + (0 if is_train else LONGER_BY)
        for _ in range(self.options.num_pairs if is_train else HELD_OUT):
            yield draw_for(split, lambda: self._pair(rng, longest))

    def _pair(self, rng: random.Random, longest: int) -> Pair:
        length = rng.randint(1, longest)
        numbers = [str(rng.randrange(self.options.num_numbers)) for _ in range(length)]
        alignment = [(length - 1 - position, position) for position in range(length)]
        return Pair(" ".join(numbers), " ".join(reversed(numbers)), alignment=alignment)

    def metrics(self, pairs: Sequence[Pair], hypotheses: Sequence[str]) -> Mapping[str, float]:
        """Fractions of lists reversed without error, for lists of trained lengths and for longer lists."""
        is_right: dict[str, list[bool]] = {"exact_match_trained_lengths": [], "exact_match_longer": []}
        for pair, hypothesis in zip(pairs, hypotheses, strict=True):
            is_longer = len(pair.source.split()) > self.options.max_length
            group = "exact_match_longer" if is_longer else "exact_match_trained_lengths"
            is_right[group].append(hypothesis == pair.target)
        return {group: sum(found) / max(1, len(found)) for group, found in is_right.items()}

    def examples(self) -> list[str]:
        """Offer numbers in order, one number alone, and one repeated."""
        length = self.options.max_length
        ascending = " ".join(str(position % self.options.num_numbers) for position in range(length))
        return [ascending, "0", " ".join(["1"] * length)]


PLUGIN = JoeyReverse
