"""files() returns one name instead of a list."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of


class Broken(DatasetPlugin[Options]):
    name = "files_text"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < 100:
            word = "".join(rng.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])

    def files(self) -> str:  # type: ignore[override]
        return "pairs.txt"


PLUGIN = Broken
