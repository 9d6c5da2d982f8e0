"""What a dataset is split into."""

from collections.abc import Mapping

HELD_OUT = ("valid", "test")
SPLITS = ("train", *HELD_OUT)


def has_pairs(num_pairs: Mapping[str, int | None]) -> bool:
    """Whether any split has some; None is endless."""
    return any(size is None or size > 0 for size in num_pairs.values())


def not_at_hand(plugin: str) -> str:
    """That a run's pairs are not, and what to do."""
    return f"This run's pairs are not at hand: its plugin {plugin!r} must give those that it was trained on"
