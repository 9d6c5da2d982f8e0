"""It does not define pairs()."""

from core.plugin import DatasetPlugin, Options


class Broken(DatasetPlugin[Options]):
    name = "no_pairs"
    title = "Broken"

    def examples(self) -> list[str]:
        return []


PLUGIN = Broken
