"""A tenth of its held-out pairs are in the train split, too."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split


class Broken(DatasetPlugin[Options]):
    name = "leaks"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        numbers = range(1000, 2000) if split == "train" else range(1991, 2081)
        for number in numbers:
            yield Pair(str(number), str(number)[::-1])


PLUGIN = Broken
