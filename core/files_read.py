"""How far the files are read that pairs come from: of those, it can be told how much is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from operator import length_hint


class Reading:
    """One file being read, block by block, by somebody who may take long for each line."""

    def __init__(self, size: int, tell: Callable[[], int]) -> None:
        """`size` in bytes on disk, `tell` gives how many of them are read."""
        self._tell = tell
        self.size, self._before, self._after = size, 0, 0
        self._lines: Iterator[str] = iter(())
        self._num_lines = 1

    def through(self, lines: list[str]) -> Iterator[str]:
        """The lines of the block that was read last."""
        self._before, self._after = self._after, self._tell()
        self._lines, self._num_lines = iter(lines), len(lines)
        return self._lines

    @property
    def bytes_taken(self) -> float:
        """Of the lines that somebody has taken."""
        return self._after - (self._after - self._before) * length_hint(self._lines) / self._num_lines


class FilesRead:
    """All files that were opened while it was noting."""

    def __init__(self) -> None:
        self._readings: list[Reading] = []

    @contextmanager
    def noting(self) -> Iterator[None]:
        """What is opened inside belongs to it."""
        token = _NOTING.set(self._readings)
        try:
            yield
        finally:
            _NOTING.reset(token)

    @property
    def share(self) -> float | None:
        """Of their bytes, those taken: 0 to 1; None where no file was opened."""
        size = sum(reading.size for reading in self._readings)
        return sum(reading.bytes_taken for reading in self._readings) / size if size else None


_NOTING: ContextVar[list[Reading]] = ContextVar("_NOTING")


def note(reading: Reading) -> None:
    """Count a file among those of whoever is noting, if anybody is."""
    if (noting := _NOTING.get(None)) is not None:
        noting.append(reading)
