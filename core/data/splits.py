"""The names of a dataset's splits."""

from collections.abc import Mapping

HELD_OUT = ("valid", "test")
SPLITS = ("train", *HELD_OUT)


def has_pairs(num_pairs: Mapping[str, int | None]) -> bool:
    """Whether any split has pairs; None stands for an endless one."""
    return any(size is None or size > 0 for size in num_pairs.values())


def pairs_unavailable(plugin: str) -> str:
    """The sentence that a run's pairs are not available, and what is needed to get them."""
    return f"This run's pairs are not available: its plugin {plugin!r} must give those that it was trained on"
