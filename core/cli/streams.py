"""The terminal's streams: UTF-8 under any locale, and no fault where they are full, or nobody reads them."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from io import TextIOWrapper
from typing import Any, TextIO, cast

from core.errors import UserError

UNREAD = errno.EINVAL if os.name == "nt" else errno.EPIPE
"""What writing to a pipe ends in that nobody reads."""


def speak_utf8(stream: TextIO) -> None:
    """Let emoji, right-to-left text and bytes that are no text through under any locale and on Windows."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


@contextmanager
def perhaps_unread(stream: TextIO) -> Iterator[None]:
    """Around writing what can be done without: once `stream` takes no more, what is written there goes nowhere.

    Whoever read it has ended, its terminal was closed, or its disk is full.
    """
    try:
        yield
        stream.flush()
    except OSError:
        fall_silent(stream)


@contextmanager
def progress_perhaps_unread() -> Iterator[None]:
    """Around a verb: what it tells on standard error can all be done without."""
    stream = sys.stderr
    with redirect_stderr(cast(TextIO, _Guarded(stream, lambda: perhaps_unread(stream)))):
        yield


@contextmanager
def results_told() -> Iterator[None]:
    """Around a verb: what it printed is told at the end, or a UserError says that it could not be.

    That nobody reads it any more (BrokenPipeError) is another matter.
    """
    stream, refusals = sys.stdout, list[OSError]()
    try:
        with redirect_stdout(cast(TextIO, _Guarded(stream, lambda: _remembering(refusals)))):
            yield
            sys.stdout.flush()
    except OSError as error:
        if error not in refusals or isinstance(error, BrokenPipeError):
            raise
        fall_silent(stream)
        raise _not_written(error) from None


class ResultsOnTheWay:
    """What work prints before it has ended, which goes on though that cannot be written; it is told afterwards."""

    def __init__(self) -> None:
        self._refusals: list[OSError] = []

    @contextmanager
    def printing(self) -> Iterator[None]:
        """Around printing one of them."""
        with perhaps_unread(sys.stdout), _remembering(self._refusals):
            yield
            sys.stdout.flush()

    def require_written(self, advice: str) -> None:
        """Raise UserError where they are not all written, but for that nobody read them any more."""
        for refusal in self._refusals:
            if not isinstance(refusal, BrokenPipeError):
                raise _not_written(refusal, advice)


class _Guarded:
    """A stream that is written to within `guard`."""

    def __init__(self, stream: TextIO, guard: Callable[[], AbstractContextManager[None]]) -> None:
        self._stream, self._guard = stream, guard

    def write(self, text: str) -> int:
        with self._guard():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with self._guard():
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def _remembering(refusals: list[OSError]) -> Iterator[None]:
    """Around writing: no other error tells which file it is of."""
    try:
        yield
    except OSError as error:
        told = BrokenPipeError(*error.args) if error.errno == UNREAD else error
        refusals.append(told)
        raise told from None


def _not_written(error: OSError, advice: str = "") -> UserError:
    return UserError(f"Standard output cannot be written: {error.strerror}.", advice)


def fall_silent(stream: TextIO) -> None:
    """Send what is written from here on nowhere, what is still buffered included."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
