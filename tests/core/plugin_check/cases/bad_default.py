"""The default of an option is outside its range."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, option, split_of


class BrokenOptions(Options):
    length: int = option(99, ge=1, le=9)


class Broken(DatasetPlugin[BrokenOptions]):
    name = "bad_default"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < 100:
            word = "".join(rng.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])


PLUGIN = Broken
