"""Finds pairs that occur twice: repeated in a train split of any size, or held out and yet trained on."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np

from core.plugin import Pair

NUM_EXAMPLES = 20


class TrainPairs:
    """The hashes of all pairs of the train split seen so far, in order; each takes 8 bytes."""

    def __init__(self) -> None:
        self._hashes = array("q")

    def add(self, pairs: Iterable[Pair]) -> None:
        self._hashes.extend(hash(pair[:2]) for pair in pairs)

    def repeated(self) -> tuple[int, list[tuple[int, int]]]:
        """How many pairs are repetitions; for the most frequent, the index of the first one and how often it occurs."""
        hashes = np.frombuffer(self._hashes, dtype=np.int64)
        ordered = np.sort(hashes)
        repetitions = ordered[1:][ordered[1:] == ordered[:-1]]
        which, times = np.unique(repetitions, return_counts=True)
        by_count = np.argsort(-times, kind="stable")[:NUM_EXAMPLES]
        return len(repetitions), [(int(np.argmax(hashes == which[index])), int(times[index]) + 1) for index in by_count]


class HeldOutPairs:
    """The sources and pairs of a held-out split, and which of them the train split has too.

    It keeps the hashes of what is held out and the texts of what is found, so that a train split of any size can be
    compared.
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

    def num_shared_with(self, other: HeldOutPairs) -> int:
        """How many different sources are in both held-out splits."""
        return len(self._sources & other._sources)

    def add(self, pairs: Iterable[Pair]) -> None:
        """Add held-out pairs."""
        for pair in pairs:
            self._sources.add(hash(pair.source))
            self._pairs.add(hash(pair[:2]))

    def compare(self, train: Iterable[Pair]) -> None:
        """Compare with some pairs of the train split."""
        found = [pair for pair in train if hash(pair.source) in self._sources]
        self.sources_in_train.update(pair.source for pair in found)
        self.pairs_in_train.update(pair[:2] for pair in found if hash(pair[:2]) in self._pairs)
