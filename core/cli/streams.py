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

PIPE_CLOSED_ERRNO = errno.EINVAL if os.name == "nt" else errno.EPIPE
"""The errno of writing to a pipe that nobody reads."""


class OutputPipeClosed(BrokenPipeError):
    """The reader of standard output has closed the pipe; any other broken pipe is an error."""


def use_utf8(stream: TextIO) -> None:
    """Make the stream accept any text, and undecodable bytes, under any locale and on Windows."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


@contextmanager
def optional_output(stream: TextIO) -> Iterator[None]:
    """For output that is not essential: if `stream` can no longer be written, later output to it is discarded.

    Its reader has ended, its terminal was closed, or its disk is full.
    """
    try:
        yield
        stream.flush()
    except OSError:
        discard_output(stream)


@contextmanager
def optional_stderr() -> Iterator[None]:
    """Run a verb so that its output on standard error is not essential, see `optional_output`."""
    stream = sys.stderr
    with redirect_stderr(cast(TextIO, GuardedStream(stream, lambda: optional_output(stream)))):
        yield


@contextmanager
def required_stdout() -> Iterator[None]:
    """Run a verb and flush standard output at the end; raises UserError if it could not be written.

    If nobody reads it any more, OutputPipeClosed is raised instead.
    """
    stream, errors = sys.stdout, list[OSError]()
    try:
        with redirect_stdout(cast(TextIO, GuardedStream(stream, lambda: _collecting_errors(errors)))):
            yield
            sys.stdout.flush()
    except OSError as error:
        if error not in errors or isinstance(error, BrokenPipeError):
            raise
        discard_output(stream)
        raise _write_error(error) from None


class ResultPrinter:
    """Results printed by long work, which goes on if they cannot be written; the failure is reported at the end."""

    def __init__(self) -> None:
        self._errors: list[OSError] = []

    @contextmanager
    def printing(self) -> Iterator[None]:
        """Print a result in this block."""
        with optional_output(sys.stdout), _collecting_errors(self._errors):
            yield
            sys.stdout.flush()

    def require_written(self, advice: str) -> None:
        """Raise UserError if some results could not be written, unless nobody read them any more."""
        for error in self._errors:
            if not isinstance(error, BrokenPipeError):
                raise _write_error(error, advice)


class GuardedStream:
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
def _collecting_errors(errors: list[OSError]) -> Iterator[None]:
    """Collect the errors of writing in this block, to tell them from an OSError about another file."""
    try:
        yield
    except OSError as error:
        raised = OutputPipeClosed(*error.args) if error.errno == PIPE_CLOSED_ERRNO else error
        errors.append(raised)
        raise raised from None


def _write_error(error: OSError, advice: str = "") -> UserError:
    return UserError(f"Standard output cannot be written: {error.strerror}.", advice)


def discard_output(stream: TextIO) -> None:
    """Discard everything written to the stream from now on, and what is still in its buffer."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, stream.fileno())
    os.close(devnull)
