"""Its type parameter is not a subclass of Options."""

from core.plugin import DatasetPlugin, Pair


class Lengths:
    longest: int = 9


class Broken(DatasetPlugin[Lengths]):
    name = "options_of_another_class"
    title = "Broken"

    def pairs(self, split, rng):
        yield Pair("a", "b")


PLUGIN = Broken
