"""Each call of pairs() continues the random sequence of the one before."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of

RNG = random.Random(0)


class Broken(DatasetPlugin[Options]):
    name = "keeps_state"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < 100:
            word = "".join(RNG.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])


PLUGIN = Broken
