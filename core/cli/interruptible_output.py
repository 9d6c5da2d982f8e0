"""Streams whose writes give up a second after a signal to end, if nobody reads them.

A write to a full pipe, or to a stopped terminal, blocks until its reader continues, and Python resumes it after every
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

from core.machine.signals import SAME_SIGNAL_SECONDS, ending_signal

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class WriteInterrupted(BrokenPipeError):
    """The process was asked to end, and nobody reads its output."""

    def __init__(self, signal: Signals) -> None:
        super().__init__()
        self.signal = signal


def interruptible_stream(stream: TextIO) -> TextIO:
    """Wrap a stream so that writes raise WriteInterrupted once a signal has asked to end and nobody reads.

    A regular file is returned unchanged, as it is always writable, and so is any stream on Windows, which cannot tell.
    """
    if not isinstance(stream, TextIOWrapper) or not isinstance(stream.buffer, BufferedWriter | FileIO):
        return stream
    if sys.platform == "win32" or S_ISREG(os.fstat(stream.fileno()).st_mode):
        return stream
    stream.flush()
    is_line_buffered = stream.line_buffering or stream.write_through  # the latter with PYTHONUNBUFFERED
    return TextIOWrapper(
        BufferedWriter(_InterruptibleWriter(stream)), stream.encoding, stream.errors, line_buffering=is_line_buffered
    )


def is_writable(descriptor: int, seconds: float = 0.0) -> bool:
    """Whether a write would not block, now or within `seconds`. Always true on Windows, which cannot tell."""
    return sys.platform == "win32" or bool(select.select([], [descriptor], [], seconds)[1])


class _InterruptibleWriter(RawIOBase):
    """Waits before each write until it does not block, and checks for signals meanwhile.

    It keeps a reference to the original stream: if that were closed, the next file opened would get its descriptor.
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
        while not is_writable(self._descriptor, SAME_SIGNAL_SECONDS):
            if (signal := ending_signal()) is not None:
                raise WriteInterrupted(signal)
        return os.write(self._descriptor, memoryview(data)[: select.PIPE_BUF])  # whole, or nothing at all
