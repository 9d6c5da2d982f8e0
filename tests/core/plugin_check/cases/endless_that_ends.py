"""It declares endless data, but its train split ends."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of


class Broken(DatasetPlugin[Options]):
    name = "endless_that_ends"
    title = "Broken"
    endless = True

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < 1:
            word = "".join(rng.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])


PLUGIN = Broken
