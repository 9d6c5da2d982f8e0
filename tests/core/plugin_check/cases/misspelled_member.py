"""A method has the name of an optional one without its last letter."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of


class Broken(DatasetPlugin[Options]):
    name = "misspelled_member"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < 100:
            word = "".join(rng.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])

    def example(self) -> list[str]:
        return ["abc"]


PLUGIN = Broken
