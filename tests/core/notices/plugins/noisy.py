"""A task of sixteen sources with random targets, which can only be memorised."""

import random
from collections.abc import Iterator, Mapping
from math import log

from core.plugin import DatasetPlugin, Options, Pair, Split

LENGTH = 4


class Noisy(DatasetPlugin[Options]):
    """Toss a coin for each letter; only `<eos>` is certain."""

    name = "noisy"
    title = "Coins"
    tokenizer = "whitespace"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        for _ in range(16):
            yield Pair(" ".join(rng.choices("abcdefgh", k=LENGTH)), " ".join(rng.choices("01", k=LENGTH)))

    def limits(self) -> Mapping[str, float]:
        return {"valid/loss": log(2) * LENGTH / (LENGTH + 1)}


PLUGIN = Noisy
