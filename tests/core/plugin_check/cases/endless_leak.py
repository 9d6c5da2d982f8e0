"""Endless data of so many sources that no held-out one is drawn to train by chance: nothing keeps them apart."""

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
