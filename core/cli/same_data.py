"""What is said of runs that should differ in their seed alone, and were made of other data."""

from __future__ import annotations

from collections.abc import Sequence

from core.comparison.read_run import ReadRun
from core.comparison.seeds import places_of_other_data


def of_other_data(runs: Sequence[ReadRun]) -> str | None:
    """Which two of them have other data, as the beginning of a sentence; None where none have."""
    if (places := places_of_other_data(runs)) is None:
        return None
    first, other = (runs[place].folder.path.name for place in places)
    return f"{first} and {other} were trained with the same settings on different data, for the corpus was changed"
