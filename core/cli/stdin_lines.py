"""Reads lines of standard input as they arrive: the person or program that writes them waits for each answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from io import BytesIO, RawIOBase
from stat import S_ISREG
from threading import Condition, Thread
from typing import Any, cast

from core.cli.engine_client import POLL_SECONDS, EngineClient
from core.cli.text_files import READ_SIZE, read_available, read_error, source_name
from core.plugin_files import line_blocks

MAX_BUFFERED = 2**24  # characters: enough for most programs that write everything before they read an answer
_LONGEST_SIGNATURE = 4  # bytes: enough to recognise UTF-32, gzip, and a byte order mark


def stdin_is_file() -> bool:
    """Whether standard input is a file, so that all of it is there already (`< FILE`)."""
    return S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)


class StdinLines:
    """Lines of standard input in batches: a thread collects those that arrive while others are being translated.

    It reads at most `MAX_BUFFERED` characters ahead, so that endless input does not fill memory. A program that writes
    more before it reads an answer deadlocks with us, as with any program between two pipes, only later than with most.
    """

    def __init__(self) -> None:
        self._received: list[list[str] | Exception | None] = []
        self._num_buffered = 0
        self._changed = Condition()  # guards both
        # A daemon thread that reads the raw stream: the exit waits neither for a terminal nor for a buffer's lock.
        Thread(target=self._read, args=(cast(Any, sys.stdin.buffer).raw,), daemon=True).start()

    def batches(self, client: EngineClient) -> Iterator[list[str]]:
        """Yield all lines that have arrived, as soon as there is one, until the stream ends. Raises Interrupted.

        If one of them cannot be read, those before it are yielded first.
        """
        last: list[str] | Exception | None = []
        while isinstance(last, list):
            received = self._next_received(client)
            if lines := [line for some in received if isinstance(some, list) for line in some]:
                yield lines
            last = received[-1]
        if last is not None:
            raise read_error(None, last) from None

    def _next_received(self, client: EngineClient) -> list[list[str] | Exception | None]:
        with self._changed:
            while not self._changed.wait_for(lambda: self._received, timeout=POLL_SECONDS):
                client.require_no_signal()
            received, self._received, self._num_buffered = self._received, [], 0
            self._changed.notify()
        client.require_no_signal()  # the same signal may have ended the writer: the input may be incomplete
        return received

    def _read(self, raw: RawIOBase) -> None:
        try:
            for lines in line_blocks(cast(Any, _StdinStream(raw)), source_name(None)):
                self._put(lines, sum(map(len, lines)) + len(lines))
            self._put(None)
        except Exception as error:
            self._put(error)

    def _put(self, received: list[str] | Exception | None, num_characters: int = 0) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._num_buffered < MAX_BUFFERED)
            self._received.append(received)
            self._num_buffered += num_characters
            self._changed.notify()


class _StdinStream:
    """A stream whose reads return what has arrived. It can seek back while only its beginning has been read.

    After its end it is not read again: a terminal would wait for another Ctrl-D.
    """

    def __init__(self, raw: RawIOBase) -> None:
        self._raw, self._has_ended = raw, False
        self._beginning = BytesIO(self._read_signature_or_line())

    def read(self, size: int) -> bytes:
        return self._beginning.read(size) or self._read_more(size)

    def seek(self, offset: int) -> None:
        self._beginning.seek(offset)

    def _read_signature_or_line(self) -> bytes:
        """The beginning of the stream, once there is enough to recognise its format; it may arrive byte by byte."""
        beginning = self._read_more(READ_SIZE)
        while not self._has_ended and len(beginning) < _LONGEST_SIGNATURE and b"\n" not in beginning:
            beginning += self._read_more(READ_SIZE)
        return beginning

    def _read_more(self, size: int) -> bytes:
        if self._has_ended:
            return b""
        data = read_available(self._raw, size)
        self._has_ended = not data
        return data
