"""Its limit of an accuracy is in per cent instead of a fraction."""

import random
from collections.abc import Iterator, Mapping

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of


class Broken(DatasetPlugin[Options]):
    name = "limit_in_percent"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < 100:
            word = "".join(rng.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])

    def limits(self) -> Mapping[str, float]:
        return {"valid/token_accuracy": 97.0}


PLUGIN = Broken
