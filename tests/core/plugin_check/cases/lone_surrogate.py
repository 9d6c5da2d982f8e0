"""Its targets are half of a surrogate pair."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of


class Broken(DatasetPlugin[Options]):
    name = "lone_surrogate"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < 100:
            word = "".join(rng.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, "\ud83d")


PLUGIN = Broken
