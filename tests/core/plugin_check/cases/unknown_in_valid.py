"""Its held-out splits have other letters than its train split."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split


class Broken(DatasetPlugin[Options]):
    name = "unknown_in_valid"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for _ in range(100):
            word = "".join(rng.choices("abcdef" if split == "train" else "uvwxyz", k=6))
            yield Pair(word, word[::-1])


PLUGIN = Broken
