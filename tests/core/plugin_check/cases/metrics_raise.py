"""metrics() divides by the length of the outputs, which may be 0."""

import random
from collections.abc import Iterator, Mapping, Sequence

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of


class Broken(DatasetPlugin[Options]):
    name = "metrics_raise"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < 100:
            word = "".join(rng.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])

    def metrics(self, pairs: Sequence[Pair], hypotheses: Sequence[str]) -> Mapping[str, float]:
        return {"a_share": sum(text.count("a") for text in hypotheses) / sum(map(len, hypotheses))}


PLUGIN = Broken
