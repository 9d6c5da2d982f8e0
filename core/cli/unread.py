"""Streams that a process which is asked to end writes no longer than a second to, where nobody reads them.

A write to a full pipe, or to a terminal that was stopped, waits for its reader, and Python goes on with it after every
signal.
"""

from __future__ import annotations

import os
import select
import sys
from io import BufferedWriter, FileIO, RawIOBase, TextIOWrapper
from signal import Signals
from stat import S_ISREG
from typing import TYPE_CHECKING, TextIO

from core.machine.signals import IN_EARNEST_SECONDS, ending_by

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Unread(BrokenPipeError):
    """Nobody reads what a process writes that was asked to end."""

    def __init__(self, signal: Signals) -> None:
        super().__init__()
        self.signal = signal


def heeding_signals(stream: TextIO) -> TextIO:
    """The same stream, whose writes raise Unread where a signal has asked the process to end and nobody reads.

    A file is always ready to be written to, and Windows does not tell.
    """
    is_of_the_system = isinstance(stream, TextIOWrapper) and isinstance(stream.buffer, BufferedWriter | FileIO)
    if not is_of_the_system or sys.platform == "win32" or S_ISREG(os.fstat(stream.fileno()).st_mode):
        return stream
    assert isinstance(stream, TextIOWrapper)
    stream.flush()
    by_line = stream.line_buffering or stream.write_through  # the latter with PYTHONUNBUFFERED
    return TextIOWrapper(BufferedWriter(_Waiting(stream)), stream.encoding, stream.errors, line_buffering=by_line)


def takes_more(descriptor: int, seconds: float = 0.0) -> bool:
    """Whether writing there need not wait, at once or within so many seconds. Windows does not tell."""
    return sys.platform == "win32" or bool(select.select([], [descriptor], [], seconds)[1])


class _Waiting(RawIOBase):
    """Waits before each write until it can be done, and meanwhile looks for signals.

    It holds the stream it writes for: the descriptor of one that is let go of is given to the next file that is opened.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._descriptor = stream.fileno()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, data: ReadableBuffer, /) -> int:
        while not takes_more(self._descriptor, IN_EARNEST_SECONDS):
            if (signal := ending_by()) is not None:
                raise Unread(signal)
        return os.write(self._descriptor, memoryview(data)[: select.PIPE_BUF])  # whole, where it takes any
