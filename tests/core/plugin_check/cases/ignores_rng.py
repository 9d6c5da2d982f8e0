"""It draws endless data from its own random.Random instead of the given one."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of


class Broken(DatasetPlugin[Options]):
    name = "ignores_rng"
    title = "Broken"
    endless = True

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        own, made = random.Random(0), 0
        while made < (100 if split != "train" else float("inf")):
            word = "".join(own.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])


PLUGIN = Broken
