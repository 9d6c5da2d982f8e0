"""It yields the same pair again and again."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split


class Broken(DatasetPlugin[Options]):
    name = "duplicates"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for _ in range(100):
            yield Pair(split, split[::-1])


PLUGIN = Broken
