"""Which of many steps to keep when there is not room for all: the first, the newest, and evenly by ratio between."""

from __future__ import annotations

from collections.abc import Sequence


def steps_to_keep(steps: Sequence[int], room: int) -> list[int]:
    """At most `room` of the ascending `steps`; the same steps in the same order always leave the same ones.

    The newest is kept before all, then the first; of the others the one goes whose neighbours are nearest by ratio.
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
