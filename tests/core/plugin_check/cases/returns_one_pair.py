"""pairs() returns a pair where it should yield pairs."""

import random

from core.plugin import DatasetPlugin, Options, Pair, Split


class Broken(DatasetPlugin[Options]):
    name = "returns_one_pair"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Pair:
        number = str(rng.randrange(1000))
        return Pair(number, number)


PLUGIN = Broken
