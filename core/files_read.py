"""Tracks how much of the files that pairs come from has been read, to show the progress of drawing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from operator import length_hint


class Reading:
    """A file that is read block by block, by a consumer that may take long for each line."""

    def __init__(self, size: int, tell: Callable[[], int]) -> None:
        """`size` is in bytes on disk; `tell` returns how many of them have been read."""
        self._tell = tell
        self.size, self._before, self._after = size, 0, 0
        self._lines: Iterator[str] = iter(())
        self._num_lines = 1

    def through(self, lines: list[str]) -> Iterator[str]:
        """Iterate over the lines of the block that was read last, keeping count of those consumed."""
        self._before, self._after = self._after, self._tell()
        self._lines, self._num_lines = iter(lines), len(lines)
        return self._lines

    @property
    def bytes_taken(self) -> float:
        """The bytes of the lines consumed so far, estimated within a block."""
        return self._after - (self._after - self._before) * length_hint(self._lines) / self._num_lines


class FilesRead:
    """The files that were opened within `noting`."""

    def __init__(self) -> None:
        self._readings: list[Reading] = []

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note the files that are opened in this block."""
        token = _NOTING.set(self._readings)
        try:
            yield
        finally:
            _NOTING.reset(token)

    @property
    def share(self) -> float | None:
        """The share of the files' bytes that has been consumed, 0 to 1; None if no file was opened."""
        size = sum(reading.size for reading in self._readings)
        return sum(reading.bytes_taken for reading in self._readings) / size if size else None


_NOTING: ContextVar[list[Reading]] = ContextVar("_NOTING")


def note(reading: Reading) -> None:
    """Add a file to the current `FilesRead.noting` block, if there is one."""
    if (noting := _NOTING.get(None)) is not None:
        noting.append(reading)
