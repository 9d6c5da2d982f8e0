"""The terminal's streams: UTF-8 under any locale, and no fault where whoever read them has left."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TextIO

_NOBODY_READS = (errno.EPIPE, errno.EIO)  # a pipe whose reader has ended; a terminal that was closed


def speak_utf8(stream: TextIO) -> None:
    """Let emoji, right-to-left text and bytes that are no text through under any locale and on Windows."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


@contextmanager
def perhaps_unread(stream: TextIO) -> Iterator[None]:
    """Around writing to `stream`: once nobody reads it, all that is written there goes nowhere."""
    try:
        yield
        stream.flush()
    except OSError as error:
        if error.errno not in _NOBODY_READS:
            raise
        fall_silent(stream)


def fall_silent(stream: TextIO) -> None:
    """Send what is written from here on nowhere, what is still buffered included."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
