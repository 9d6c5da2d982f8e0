"""Chooses which steps to keep if there is no room for all: the first, the newest, and others spaced evenly by ratio."""

from __future__ import annotations

from collections.abc import Sequence


def steps_to_keep(steps: Sequence[int], max_kept: int) -> list[int]:
    """At most `max_kept` of the ascending `steps`. Deterministic.

    The newest has priority, then the first. Of the others, the step whose neighbours are nearest by ratio is dropped
    until there is room.
    """
    kept = list(steps)
    if max_kept <= 0:
        return []
    if max_kept == 1:
        return kept[-1:]
    while len(kept) > max_kept:
        gaps = [(kept[i + 1] + 1) / (kept[i - 1] + 1) for i in range(1, len(kept) - 1)]
        del kept[1 + gaps.index(min(gaps))]
    return kept
