"""metrics() returns a metric of every validation, and one of `evaluate`."""

import random
from collections.abc import Iterator, Mapping, Sequence

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of


class Broken(DatasetPlugin[Options]):
    name = "metrics_built_in"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < 100:
            word = "".join(rng.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])

    def metrics(self, pairs: Sequence[Pair], hypotheses: Sequence[str]) -> Mapping[str, float]:
        return {"bleu": 1.0, "tokenized_bleu": 1.0}


PLUGIN = Broken
