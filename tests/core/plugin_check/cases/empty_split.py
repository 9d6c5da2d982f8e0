"""Its valid split is empty."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split


class Broken(DatasetPlugin[Options]):
    name = "empty_split"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for number in range(0 if split == "valid" else 100):
            yield Pair(f"{split} {number}", str(number))


PLUGIN = Broken
