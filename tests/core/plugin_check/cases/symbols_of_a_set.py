"""symbols() takes its tokens from a set, whose order is another in each process."""

import random
from collections.abc import Iterator, Sequence

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of


class Broken(DatasetPlugin[Options]):
    name = "symbols_of_a_set"
    title = "Broken"
    endless = True

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < (100 if split != "train" else float("inf")):
            word = "".join(rng.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])

    def symbols(self) -> tuple[Sequence[str], Sequence[str]]:
        return list({"a", "b", "c", "d", "e", "f"}), ["a", "b", "c", "d", "e", "f"]


PLUGIN = Broken
