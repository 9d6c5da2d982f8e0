"""Lines of standard input as they come: who types them, or has a program write them, waits for an answer to each."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from io import BytesIO, RawIOBase
from queue import Empty, SimpleQueue
from stat import S_ISREG
from threading import Thread
from typing import Any, cast

from core.cli.conversation import WAKE_SECONDS, Conversation
from core.cli.files import cannot_read, name_of
from core.plugin_files import line_blocks

_AT_ONCE = 2**16


def is_file_on_standard_input() -> bool:
    """Whether all of it is there already, as with `< FILE`."""
    return S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)


class ArrivingLines:
    """Those that have come meanwhile, together: a thread reads them, also while others are being translated."""

    def __init__(self) -> None:
        self._arrived: SimpleQueue[list[str] | Exception | None] = SimpleQueue()
        # A daemon, and of the raw stream: at the end nobody waits for a terminal, nor for the lock of a buffer.
        Thread(target=self._read, args=(cast(Any, sys.stdin.buffer).raw,), daemon=True).start()

    def taken(self, engine: Conversation) -> Iterator[list[str]]:
        """All that are there, as soon as there is one, until the stream ends. Raises Interrupted on a signal."""
        while True:
            arrived = [self._next(engine)]
            while not self._arrived.empty():
                arrived.append(self._arrived.get())
            for error in (one for one in arrived if isinstance(one, Exception)):
                raise cannot_read(None, error) from None
            if lines := [line for some in arrived if isinstance(some, list) for line in some]:
                yield lines
            if arrived[-1] is None:
                return

    def _next(self, engine: Conversation) -> list[str] | Exception | None:
        while True:
            try:
                return self._arrived.get(timeout=WAKE_SECONDS)
            except Empty:
                engine.require_no_signal()

    def _read(self, raw: RawIOBase) -> None:
        try:
            for lines in line_blocks(cast(Any, _Arriving(raw)), name_of(None)):
                self._arrived.put(lines)
            self._arrived.put(None)
        except Exception as error:
            self._arrived.put(error)


class _Arriving:
    """A stream that is read as far as it has come. It can be set back to its beginning while no more than that is read.

    Once it has ended it is not asked again: a terminal would wait for another Ctrl-D.
    """

    def __init__(self, raw: RawIOBase) -> None:
        self._raw, self._has_ended = raw, False
        self._beginning = BytesIO(self._more(_AT_ONCE))

    def read(self, size: int) -> bytes:
        return self._beginning.read(size) or self._more(size)

    def seek(self, place: int) -> None:
        self._beginning.seek(place)

    def _more(self, size: int) -> bytes:
        data = b"" if self._has_ended else self._raw.read(size) or b""
        self._has_ended = not data
        return data
