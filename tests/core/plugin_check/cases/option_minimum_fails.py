"""It fails if an option has the minimum of its range."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, draw_for, option


class BrokenOptions(Options):
    longest: int = option(6, ge=1, le=12)


class Broken(DatasetPlugin[BrokenOptions]):
    name = "option_minimum_fails"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for _ in range(100):
            yield draw_for(split, lambda: self.pair(rng))

    def pair(self, rng: random.Random) -> Pair:
        word = "".join(rng.choices("abcdef", k=rng.randrange(1, self.options.longest) + 4))
        return Pair(word, word[::-1])


PLUGIN = Broken
