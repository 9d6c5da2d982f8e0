"""A task small enough for tests: copy 2 to 6 letters, with 300 train pairs and 40 in each held-out split."""

import random
from collections.abc import Iterator, Sequence

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of

NUM_PAIRS = {"train": 300, "valid": 40, "test": 40}


class TinyCopy(DatasetPlugin[Options]):
    """Write down the letters that were read."""

    name = "tiny_copy"
    title = "Copy a few letters"
    tokenizer = "whitespace"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < NUM_PAIRS[split]:
            letters = rng.choices("abcdef", k=rng.randint(2, 6))
            text = " ".join(letters)
            if split_of(text) == split:
                made += 1
                yield Pair(text, text, alignment=[(index, index) for index in range(len(letters))])

    def metrics(self, pairs: Sequence[Pair], hypotheses: Sequence[str]) -> dict[str, float]:
        """The fraction of outputs whose first letter is right."""
        are_right = [h.split()[:1] == pair.target.split()[:1] for pair, h in zip(pairs, hypotheses, strict=True)]
        return {"first_letter": sum(are_right) / len(are_right)}


PLUGIN = TinyCopy
