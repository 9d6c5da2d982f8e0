"""Its targets are random."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split


class Broken(DatasetPlugin[Options]):
    name = "random_target"
    title = "Broken"
    splits_overlap = True

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for _ in range(1000):
            yield Pair(rng.choice("abcd"), "".join(rng.choices("abcdef", k=6)))


PLUGIN = Broken
