"""pairs() neither yields nor returns anything."""

import random

from core.plugin import DatasetPlugin, Options, Split


class Broken(DatasetPlugin[Options]):
    name = "returns_nothing"
    title = "Broken"

    def pairs(self, split: Split, rng: random.Random) -> None:
        pass


PLUGIN = Broken
