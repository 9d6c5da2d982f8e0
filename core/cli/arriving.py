"""Lines of standard input as they come: who types them, or has a program write them, waits for an answer to each."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from io import BytesIO, RawIOBase
from select import select
from stat import S_ISREG
from threading import Condition, Thread
from typing import Any, cast

from core.cli.conversation import WAKE_SECONDS, Conversation
from core.cli.files import cannot_read, name_of
from core.plugin_files import line_blocks

_AT_ONCE = 2**16
AHEAD = 2**24  # characters; most who write all before they read an answer have written it by then
_LONGEST_MARK = 4  # bytes: by so many one sees UTF-32, gzip, and a byte order mark


def is_file_on_standard_input() -> bool:
    """Whether all of it is there already, as with `< FILE`."""
    return S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)


class ArrivingLines:
    """Those that have come meanwhile, together: a thread reads them, also while others are being translated.

    It reads `AHEAD` characters ahead: who writes without end fills no memory. Who writes more before reading an answer
    waits for us as we wait for them, as with any other program between two pipes, if later than with most.
    """

    def __init__(self) -> None:
        self._arrived: list[list[str] | Exception | None] = []
        self._num_ahead = 0
        self._changed = Condition()  # of both
        # A daemon, and of the raw stream: at the end nobody waits for a terminal, nor for the lock of a buffer.
        Thread(target=self._read, args=(cast(Any, sys.stdin.buffer).raw,), daemon=True).start()

    def taken(self, engine: Conversation) -> Iterator[list[str]]:
        """All that are there, as soon as there is one, until the stream ends. Raises Interrupted on a signal."""
        while True:
            arrived = self._next(engine)
            for error in (one for one in arrived if isinstance(one, Exception)):
                raise cannot_read(None, error) from None
            if lines := [line for some in arrived if isinstance(some, list) for line in some]:
                yield lines
            if arrived[-1] is None:
                return

    def _next(self, engine: Conversation) -> list[list[str] | Exception | None]:
        with self._changed:
            while not self._changed.wait_for(lambda: self._arrived, timeout=WAKE_SECONDS):
                engine.require_no_signal()
            arrived, self._arrived, self._num_ahead = self._arrived, [], 0
            self._changed.notify()
        engine.require_no_signal()  # the same signal may have ended who writes: this is not all then
        return arrived

    def _read(self, raw: RawIOBase) -> None:
        try:
            for lines in line_blocks(cast(Any, _Arriving(raw)), name_of(None)):
                self._put(lines, sum(map(len, lines)) + len(lines))
            self._put(None)
        except Exception as error:
            self._put(error)

    def _put(self, arrived: list[str] | Exception | None, num_characters: int = 0) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._num_ahead < AHEAD)
            self._arrived.append(arrived)
            self._num_ahead += num_characters
            self._changed.notify()


class _Arriving:
    """A stream that is read as far as it has come. It can be set back to its beginning while no more than that is read.

    Once it has ended it is not asked again: a terminal would wait for another Ctrl-D.
    """

    def __init__(self, raw: RawIOBase) -> None:
        self._raw, self._has_ended = raw, False
        self._beginning = BytesIO(self._mark_or_line())

    def read(self, size: int) -> bytes:
        return self._beginning.read(size) or self._more(size)

    def seek(self, place: int) -> None:
        self._beginning.seek(place)

    def _mark_or_line(self) -> bytes:
        """What has come, once it can be told what it is; it may come byte by byte."""
        beginning = self._more(_AT_ONCE)
        while not self._has_ended and len(beginning) < _LONGEST_MARK and b"\n" not in beginning:
            beginning += self._more(_AT_ONCE)
        return beginning

    def _more(self, size: int) -> bytes:
        if self._has_ended:
            return b""
        while (data := self._raw.read(size)) is None:  # whoever shares the stream does not wait there
            select([self._raw], [], [])
        self._has_ended = not data
        return data
