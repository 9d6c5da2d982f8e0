"""A task whose targets are independent of the source: a random number and its successors."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split

NUM_NUMBERS = 20


class Counting(DatasetPlugin[Options]):
    """With teacher forcing, all but the first number can be predicted; free-running, a wrong first makes all wrong."""

    name = "counting"
    title = "Count on from a number nobody knows"
    tokenizer = "whitespace"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for _ in range(300 if split == "train" else 40):
            first = rng.randrange(NUM_NUMBERS)
            target = " ".join(str((first + index) % NUM_NUMBERS) for index in range(6))
            yield Pair(" ".join(rng.choices("abcdef", k=4)), target)


PLUGIN = Counting
