"""It sleeps for ever when it is imported."""

import random
import time
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of

time.sleep(1e6)


class Broken(DatasetPlugin[Options]):
    name = "sleeps_on_import"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < 100:
            word = "".join(rng.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])


PLUGIN = Broken
