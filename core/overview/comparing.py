"""Pairs that stand twice: repeated in the train split, of any size, or held out and trained on all the same."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np

from core.plugin import Pair

NUM_EXAMPLES = 20


class SeenPairs:
    """The hashes of all pairs of the train split that have passed by, in order: 8 bytes are kept of each."""

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


class HeldOut:
    """The sources and pairs of a held-out split, and those of them that the train split has too.

    Of what is held out the hashes are kept, of what is found the texts: a train split of any size may pass by.
    """

    def __init__(self) -> None:
        self._sources: set[int] = set()
        self._pairs: set[int] = set()
        self.sources_in_train: set[str] = set()
        self.pairs_in_train: set[tuple[str, str]] = set()

    @property
    def num_sources(self) -> int:
        """How many different sources there are."""
        return len(self._sources)

    def num_shared_with(self, other: HeldOut) -> int:
        """How many different sources both hold out."""
        return len(self._sources & other._sources)

    def add(self, pairs: Iterable[Pair]) -> None:
        """These are held out."""
        for pair in pairs:
            self._sources.add(hash(pair.source))
            self._pairs.add(hash(pair[:2]))

    def compare(self, train: Iterable[Pair]) -> None:
        """These are trained on."""
        found = [pair for pair in train if hash(pair.source) in self._sources]
        self.sources_in_train.update(pair.source for pair in found)
        self.pairs_in_train.update(pair[:2] for pair in found if hash(pair[:2]) in self._pairs)
