"""It imports a module that does not exist."""

import random
from collections.abc import Iterator

import a_module_that_is_not_there as words

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of

LETTERS = words.LETTERS


class Broken(DatasetPlugin[Options]):
    name = "missing_module"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < 100:
            word = "".join(rng.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])


PLUGIN = Broken
