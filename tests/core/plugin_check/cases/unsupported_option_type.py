"""An option has a type that the form does not support."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, option, split_of


class BrokenOptions(Options):
    span: tuple[int, int] = option((1, 2))


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
