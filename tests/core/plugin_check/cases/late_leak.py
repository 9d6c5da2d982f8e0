"""Its endless splits draw from the same million sources, so that held-out ones are trained on after a while."""

import random
from collections.abc import Iterator
from itertools import count

from core.plugin import DatasetPlugin, Options, Pair, Split


class Broken(DatasetPlugin[Options]):
    name = "late_leak"
    title = "Broken"
    endless = True

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        own = random.Random(f"{split} {rng.random()}")
        for _ in count() if split == "train" else range(100):
            number = f"{own.randrange(1_000_000):06}"
            yield Pair(number, number[::-1])


PLUGIN = Broken
