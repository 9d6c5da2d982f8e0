"""Standard output and error: UTF-8 under any locale, and no bug report if they are full or nobody reads them."""

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
"""The errno of writing to a pipe that nobody reads."""


class NobodyReads(BrokenPipeError):
    """The reader of standard output has closed the pipe; any other broken pipe is an error."""


def speak_utf8(stream: TextIO) -> None:
    """Make the stream accept any text, and undecodable bytes, under any locale and on Windows."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


@contextmanager
def perhaps_unread(stream: TextIO) -> Iterator[None]:
    """For output that is not essential: if `stream` can no longer be written, later output to it is discarded.

    Its reader has ended, its terminal was closed, or its disk is full.
    """
    try:
        yield
        stream.flush()
    except OSError:
        fall_silent(stream)


@contextmanager
def progress_perhaps_unread() -> Iterator[None]:
    """Run a verb so that its output on standard error is not essential, see `perhaps_unread`."""
    stream = sys.stderr
    with redirect_stderr(cast(TextIO, Guarded(stream, lambda: perhaps_unread(stream)))):
        yield


@contextmanager
def results_told() -> Iterator[None]:
    """Run a verb and flush standard output at the end; raises UserError if it could not be written.

    If nobody reads it any more, NobodyReads is raised instead.
    """
    stream, refusals = sys.stdout, list[OSError]()
    try:
        with redirect_stdout(cast(TextIO, Guarded(stream, lambda: _remembering(refusals)))):
            yield
            sys.stdout.flush()
    except OSError as error:
        if error not in refusals or isinstance(error, BrokenPipeError):
            raise
        fall_silent(stream)
        raise _not_written(error) from None


class ResultsOnTheWay:
    """Results printed by long work, which goes on if they cannot be written; the failure is reported at the end."""

    def __init__(self) -> None:
        self._refusals: list[OSError] = []

    @contextmanager
    def printing(self) -> Iterator[None]:
        """Print a result in this block."""
        with perhaps_unread(sys.stdout), _remembering(self._refusals):
            yield
            sys.stdout.flush()

    def require_written(self, advice: str) -> None:
        """Raise UserError if some results could not be written, unless nobody read them any more."""
        for refusal in self._refusals:
            if not isinstance(refusal, BrokenPipeError):
                raise _not_written(refusal, advice)


class Guarded:
    """A stream whose writes run within the context manager of `guard`."""

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
    """Collect the errors of writing in this block, to tell them from an OSError about another file."""
    try:
        yield
    except OSError as error:
        told = NobodyReads(*error.args) if error.errno == UNREAD else error
        refusals.append(told)
        raise told from None


def _not_written(error: OSError, advice: str = "") -> UserError:
    return UserError(f"Standard output cannot be written: {error.strerror}.", advice)


def fall_silent(stream: TextIO) -> None:
    """Discard everything written to the stream from now on, and what is still in its buffer."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
