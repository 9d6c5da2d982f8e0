"""An option has a type that the form has no field for."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, option, split_of


class BrokenOptions(Options):
    shares: list[float] = option([0.5])


class Broken(DatasetPlugin[BrokenOptions]):
    name = "unsupported_option_type"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < 100:
            word = "".join(rng.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])


PLUGIN = Broken
