"""All its splits have the same pairs."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split


class Broken(DatasetPlugin[Options]):
    name = "same_splits"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for number in range(100, 200):
            yield Pair(str(number), str(number)[::-1])


PLUGIN = Broken
