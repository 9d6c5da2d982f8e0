"""Repeated pairs of the train split, of any size: 8 bytes are kept of each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np

from core.plugin import Pair

NUM_EXAMPLES = 20


class SeenPairs:
    """The hashes of all pairs that have passed by, in order."""

    def __init__(self) -> None:
        self._hashes = array("q")

    def add(self, pairs: Iterable[Pair]) -> None:
        self._hashes.extend(hash(pair[:2]) for pair in pairs)

    def repeated(self) -> tuple[int, list[tuple[int, int]]]:
        """How many stood before, and of those that come most often: the place of the first, and how often."""
        hashes = np.frombuffer(self._hashes, dtype=np.int64)
        ordered = np.sort(hashes)
        again = ordered[1:][ordered[1:] == ordered[:-1]]
        which, times = np.unique(again, return_counts=True)
        most = np.argsort(-times, kind="stable")[:NUM_EXAMPLES]
        return len(again), [(int(np.argmax(hashes == which[one])), int(times[one]) + 1) for one in most]
