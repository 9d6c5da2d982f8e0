"""Sixteen sources with targets drawn by chance: they can be learned by heart, and nothing else can be learned."""

import random
from collections.abc import Iterator, Mapping
from math import log

from core.plugin import DatasetPlugin, Options, Pair, Split

LENGTH = 4


class Noisy(DatasetPlugin[Options]):
    """Toss a coin for each letter; `<eos>` alone is certain."""

    name = "noisy"
    title = "Coins"
    tokenizer = "whitespace"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for _ in range(16):
            yield Pair(" ".join(rng.choices("abcdefgh", k=LENGTH)), " ".join(rng.choices("01", k=LENGTH)))

    def limits(self) -> Mapping[str, float]:
        return {"valid/loss": log(2) * LENGTH / (LENGTH + 1)}


PLUGIN = Noisy
