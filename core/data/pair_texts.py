"""Texts and alignments of pairs on disk, as JSON lines that are found by their number."""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.plugin import Pair

_AT_ONCE = 500
_quoted = json.encoder.encode_basestring_ascii  # what json.dumps calls, after a microsecond of its own
LINES = ".pairs.jsonl"
STARTS = ".pairs.npy"


class PairTexts:
    """The pairs of STEM.pairs.jsonl, mapped: they can be read as long as this object lives, whatever is deleted."""

    def __init__(self, stem: Path) -> None:
        with Path(f"{stem}{LINES}").open("rb") as lines:
            self._lines = mmap.mmap(lines.fileno(), 0, access=mmap.ACCESS_READ)
        self._starts: NDArray[np.int64] = np.load(f"{stem}{STARTS}", mmap_mode="r")

    def __getitem__(self, index: int) -> Pair:
        """Read one pair. [N + 1] starts: the last is the end."""
        return _pair_of(self._lines[self._starts[index] : self._starts[index + 1]])


def pair_line(pair: Pair) -> bytes:
    """One pair as a JSON line; every character is below U+0080, so that lines end at "\\n" only."""
    alignment = "null" if pair.alignment is None else json.dumps(pair.alignment)
    return f"[{_quoted(pair.source)}, {_quoted(pair.target)}, {alignment}]\n".encode("ascii")


def write_pairs(stem: Path, pairs: Iterable[Pair]) -> None:
    """Write STEM.pairs.jsonl."""
    Path(f"{stem}{LINES}").write_bytes(b"".join(map(pair_line, pairs)))


def write_starts(stem: Path, line_lengths: Sequence[int]) -> None:
    """Say where each line of STEM.pairs.jsonl begins."""
    starts = np.zeros(len(line_lengths) + 1, dtype=np.int64)
    np.cumsum(line_lengths, dtype=np.int64, out=starts[1:])
    np.save(f"{stem}{STARTS}", starts)


def read_pairs(stem: Path) -> Iterator[Pair]:
    """All pairs of STEM.pairs.jsonl in order."""
    with Path(f"{stem}{LINES}").open("rb") as lines:
        while some := list(islice(lines, _AT_ONCE)):  # one call for many lines takes a third of the time
            yield from map(_pair, json.loads(b"[" + b",".join(some) + b"]"))


def _pair_of(line: bytes) -> Pair:
    return _pair(json.loads(line))


def _pair(fields: tuple[str, str, list[list[int]] | None]) -> Pair:
    source, target, alignment = fields
    return Pair(source, target, None if alignment is None else [(src, tgt) for src, tgt in alignment])
