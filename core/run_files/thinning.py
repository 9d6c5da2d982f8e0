"""Chooses which steps to keep if there is no room for all: the first, the newest, and others spaced evenly by ratio."""

from __future__ import annotations

from collections.abc import Sequence


def steps_to_keep(steps: Sequence[int], room: int) -> list[int]:
    """At most `room` of the ascending `steps`. Deterministic.

    The newest has priority, then the first. Of the others, the step whose neighbours are nearest by ratio is dropped
    until there is room.
    """
    kept = list(steps)
    if room <= 0:
        return []
    if room == 1:
        return kept[-1:]
    while len(kept) > room:
        gaps = [(kept[i + 1] + 1) / (kept[i - 1] + 1) for i in range(1, len(kept) - 1)]
        del kept[1 + gaps.index(min(gaps))]
    return kept
