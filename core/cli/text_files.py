"""Reads texts from files and standard input, and writes results to files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from io import BytesIO, RawIOBase, TextIOWrapper
from itertools import chain
from pathlib import Path
from select import select
from typing import Any, TextIO, cast

from core.at_path import exists, is_file, real_path
from core.cli.interruptible_output import WriteInterrupted, interruptible_stream
from core.cli.streams import GuardedStream
from core.errors import UserError
from core.machine.signals import interrupted_by_signals
from core.plugin_files import BadData, line_blocks
from core.run_files.atomic import atomic_file
from core.run_files.runs_dir import require_outside_runs

READ_SIZE = 2**16  # bytes read from standard input, as many as a pipe holds
_STANDARD_STREAMS = {"stdin": 0, "stdout": 1, "stderr": 2}  # in /dev


def source_name(path: Path | None) -> str:
    """The name of a source of texts in sentences."""
    return "standard input" if path is None else str(path)


def read_lines(path: Path | None) -> list[str]:
    """The lines of a file or of standard input, gzipped or not.

    Only line feeds end a line: U+2028 and the like are part of texts.
    """
    try:
        data = _standard_input() if path is None else path.read_bytes()  # a pipe can be read only once
        return list(chain.from_iterable(line_blocks(BytesIO(data), source_name(path))))
    except (BadData, OSError) as error:
        raise read_error(path, error) from None


def _standard_input() -> bytes:
    raw: RawIOBase = cast(Any, sys.stdin.buffer).raw
    return b"".join(iter(partial(read_available, raw, READ_SIZE), b""))


def read_available(raw: RawIOBase, size: int) -> bytes:
    """What has arrived, once there is some; nothing at the end."""
    while (data := raw.read(size)) is None:  # another process has made the shared stream non-blocking
        select([raw], [], [])
    return data


def read_error(path: Path | None, error: Exception) -> Exception:
    """The UserError to raise if reading texts has failed; any error that is a bug of ours, unchanged."""
    if isinstance(error, BadData):
        return UserError(str(error))
    if isinstance(error, OSError):
        advice = "" if path is None else "Name a file of one text a line that you may read."
        return UserError(f"{source_name(path)}: cannot be read ({error.strerror}).", advice)
    return error


def require_not_an_input(path: Path, option: str, inputs: Iterable[Path | int], description: str) -> None:
    """Raise UserError if results would overwrite texts that are read, under whatever name or from a file descriptor."""
    # Not Path.is_file, which raises for a name that is too long: these may be any texts.
    if any(exists(path) and os.path.isfile(read) and os.path.samefile(read, path) for read in inputs):  # noqa: PTH113, PTH121
        raise UserError(f"{option} {path} is {description}: the texts would be lost.", "Name another file.")


@contextmanager
def output_file(path: Path) -> Iterator[TextIO]:
    """Yield a text file to fill; it appears whole under its name at the end, or not at all if the block fails.

    A pipe, a device (/dev/null) or an open stream (/dev/stderr) is written to directly. If a signal comes while nobody
    reads a pipe, Interrupted is raised, or WriteInterrupted once it is open. Raises UserError if the file cannot be
    written or is in a run's folder. Any other OSError of the block, such as the engine's, is passed on.
    """
    descriptor = _descriptor(path)
    if descriptor == 1:
        yield sys.stdout
        return
    block_error: OSError | None = None
    try:
        with _opened(path) if descriptor is None else _stream(descriptor) as file:
            try:
                yield cast(TextIO, GuardedStream(file, partial(_reporting_write_errors, path)))
            except OSError as error:
                block_error = error
                raise
    except OSError as error:
        if error is block_error or isinstance(error, WriteInterrupted):
            raise
        raise _write_error(path, error) from error


def _descriptor(path: Path) -> int | None:
    """The file descriptor that a path such as /dev/stderr or /dev/fd/3 stands for; None for any other path.

    To replace its file would lose what is there (`3>> FILE`), and all that is written to the descriptor later.
    """
    if path.parent == Path("/dev"):
        return _STANDARD_STREAMS.get(path.name)
    is_open_file = path.parent in (Path("/dev/fd"), Path("/proc/self/fd")) and path.name.isdecimal()
    return int(path.name) if is_open_file else None


def _opened(path: Path) -> AbstractContextManager[TextIO]:
    require_outside_runs(path)
    is_whole = is_file(path) or not exists(path)
    return _atomic_text_file(real_path(path)) if is_whole else _pipe_or_device(path)


@contextmanager
def _reporting_write_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except WriteInterrupted:
        raise
    except OSError as error:
        raise _write_error(path, error) from error


def _write_error(path: Path, error: OSError) -> UserError:
    return UserError(f"{path}: cannot be written ({error.strerror}).", "Name another place.")


@contextmanager
def _pipe_or_device(path: Path) -> Iterator[TextIO]:
    with interrupted_by_signals():  # a pipe cannot be opened before somebody reads it
        opened = path.open("w", encoding="utf-8", newline="\n")
    with opened, interruptible_stream(opened) as file:
        yield file


@contextmanager
def _stream(descriptor: int) -> Iterator[TextIO]:
    with (
        os.fdopen(os.dup(descriptor), "w", encoding="utf-8", newline="\n") as opened,
        interruptible_stream(opened) as file,
    ):
        yield file


@contextmanager
def _atomic_text_file(path: Path) -> Iterator[TextIO]:
    with atomic_file(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="\n")
        try:
            yield text
        finally:
            text.detach()  # it flushes; atomic_file closes the file
