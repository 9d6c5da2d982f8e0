"""The function given to draw_for forgets to return its pair."""

import random
from collections.abc import Iterator

from core.plugin import DatasetPlugin, Options, Pair, Split, draw_for


class Broken(DatasetPlugin[Options]):
    name = "draw_returns_none"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        def draw() -> Pair:
            text = str(rng.randrange(1000))
            Pair(text, text)

        for _ in range(100):
            yield draw_for(split, draw)


PLUGIN = Broken
