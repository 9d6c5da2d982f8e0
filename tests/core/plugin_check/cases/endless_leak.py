"""Its endless splits are not separated, but have so many sources that no overlap occurs by chance."""

import random
from collections.abc import Iterator
from itertools import count

from core.plugin import DatasetPlugin, Options, Pair, Split


class Broken(DatasetPlugin[Options]):
    name = "endless_leak"
    title = "Broken"
    endless = True

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for _ in count() if split == "train" else range(100):
            word = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=12))
            yield Pair(word, word[::-1])


PLUGIN = Broken
