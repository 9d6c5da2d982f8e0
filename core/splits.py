"""What a dataset is split into."""

from collections.abc import Mapping

HELD_OUT = ("valid", "test")
SPLITS = ("train", *HELD_OUT)


def why_no_pairs(num_pairs: Mapping[str, int | None], plugin: str) -> str:
    """That a run's data are not at hand, and what to do; empty where a split has pairs, of which None is endless."""
    if any(size is None or size > 0 for size in num_pairs.values()):
        return ""
    return f"This run's training data is not at hand: make its plugin {plugin!r} and its files available"
