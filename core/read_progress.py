"""Tracks how much of the files that pairs come from has been read, to show the progress of drawing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from operator import length_hint


class FileReading:
    """A file that is read block by block, by a consumer that may take long for each line."""

    def __init__(self, size: int, tell: Callable[[], int]) -> None:
        """`size` is in bytes on disk; `tell` returns how many of them have been read."""
        self._tell = tell
        self.size, self._before, self._after = size, 0, 0
        self._lines: Iterator[str] = iter(())
        self._num_lines = 1

    def iterate(self, lines: list[str]) -> Iterator[str]:
        """Iterate over the lines of the block that was read last, keeping count of those consumed."""
        self._before, self._after = self._after, self._tell()
        self._lines, self._num_lines = iter(lines), len(lines)
        return self._lines

    @property
    def bytes_consumed(self) -> float:
        """The bytes of the lines consumed so far, estimated within a block."""
        return self._after - (self._after - self._before) * length_hint(self._lines) / self._num_lines


class ReadProgress:
    """The files that were opened within `tracking`."""

    def __init__(self) -> None:
        self._readings: list[FileReading] = []

    @contextmanager
    def tracking(self) -> Iterator[None]:
        """Track the files that are opened in this block."""
        token = _TRACKED.set(self._readings)
        try:
            yield
        finally:
            _TRACKED.reset(token)

    @property
    def fraction_read(self) -> float | None:
        """The share of the files' bytes that has been consumed, 0 to 1; None if no file was opened."""
        size = sum(reading.size for reading in self._readings)
        return sum(reading.bytes_consumed for reading in self._readings) / size if size else None


_TRACKED: ContextVar[list[FileReading]] = ContextVar("_TRACKED")


def track(reading: FileReading) -> None:
    """Add a file to the current `ReadProgress.tracking` block, if there is one."""
    if (tracked := _TRACKED.get(None)) is not None:
        tracked.append(reading)
