"""Its limit names its own metric as metrics() does, without the prefix that validations add."""

import random
from collections.abc import Iterator, Mapping, Sequence

from core.plugin import DatasetPlugin, Options, Pair, Split, split_of


class Broken(DatasetPlugin[Options]):
    name = "limit_without_prefix"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        made = 0
        while made < 100:
            word = "".join(rng.choices("abcdef", k=6))
            if split_of(word) == split:
                made += 1
                yield Pair(word, word[::-1])

    def metrics(self, pairs: Sequence[Pair], hypotheses: Sequence[str]) -> Mapping[str, float]:
        return {
            "first_right": sum(h[:1] == pair.target[:1] for pair, h in zip(pairs, hypotheses, strict=True)) / len(pairs)
        }

    def limits(self) -> Mapping[str, float]:
        return {"first_right": 1.0}


PLUGIN = Broken
