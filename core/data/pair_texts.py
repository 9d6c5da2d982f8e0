"""Stores the texts and alignments of pairs on disk, as JSON lines that are found by their number."""

from __future__ import annotations

import filecmp
import mmap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.data.array_file import array_writer
from core.plugin import Pair
from core.plugins_host.pair_lines import PairLines, lines_of

_CHUNK_SIZE = 1000
_LINE_END = ord("\n")
_LINES_SUFFIX = ".pairs.jsonl"
_STARTS_SUFFIX = ".pairs.npy"


def pairs_file(stem: Path) -> Path:
    """The file that holds the pairs, one a line."""
    return Path(f"{stem}{_LINES_SUFFIX}")


class PairTexts:
    """The pairs of STEM.pairs.jsonl, memory-mapped: readable while this object lives, even if the files are deleted."""

    def __init__(self, stem: Path) -> None:
        with pairs_file(stem).open("rb") as lines:
            self._lines = mmap.mmap(lines.fileno(), 0, access=mmap.ACCESS_READ)
        self._starts: NDArray[np.int64] = np.load(f"{stem}{_STARTS_SUFFIX}", mmap_mode="r")

    def __getitem__(self, index: int) -> Pair:
        """Read one pair. `_starts` is [N + 1]: its last entry is the end of the file."""
        return PairLines(self._lines[self._starts[index] : self._starts[index + 1]], 1).pairs()[0]


@contextmanager
def pair_writer(stem: Path) -> Iterator[Callable[[PairLines], None]]:
    """Gives a function that appends pairs to the files that `PairTexts` will map."""
    size = 0
    with pairs_file(stem).open("wb") as file, array_writer(Path(f"{stem}{_STARTS_SUFFIX}"), np.int64) as add_starts:
        add_starts(np.zeros(1))

        def append(lines: PairLines) -> None:
            nonlocal size
            ends = np.flatnonzero(np.frombuffer(lines.lines, np.uint8) == _LINE_END) + 1
            add_starts(ends + size)
            size += file.write(lines.lines)

        yield append


def write_pairs(stem: Path, pairs: Sequence[Pair]) -> None:
    """Write the files that `PairTexts` maps, for pairs that are all in memory."""
    with pair_writer(stem) as add:
        add(lines_of(pairs))


def have_same_pairs(stem: Path, other: Path) -> bool:
    """Whether two splits hold the same pairs in the same order."""
    return filecmp.cmp(pairs_file(stem), pairs_file(other), shallow=False)


def read_pair_lines(stem: Path) -> Iterator[PairLines]:
    """All pairs of STEM.pairs.jsonl in order, up to a thousand at a time."""
    with pairs_file(stem).open("rb") as lines:
        while some := list(islice(lines, _CHUNK_SIZE)):
            yield PairLines(b"".join(some), len(some))


def read_pairs(stem: Path) -> Iterator[Pair]:
    """All pairs of STEM.pairs.jsonl in order."""
    return chain.from_iterable(lines.pairs() for lines in read_pair_lines(stem))
