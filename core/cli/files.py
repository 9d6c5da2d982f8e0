"""Files that the command line reads texts from and writes results to."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import TextIO

from core.errors import UserError
from core.plugin_files import BadData, line_blocks
from core.run_files.atomic import whole_file
from core.run_files.places import is_run


def name_of(path: Path | None) -> str:
    """What sentences call it where texts are read from."""
    return "standard input" if path is None else str(path)


def read_lines(path: Path | None) -> list[str]:
    """The lines of a file, or of standard input, compressed by gzip or not.

    Only a line feed ends one: U+2028 and the like stand inside texts.
    """
    try:
        data = sys.stdin.buffer.read() if path is None else path.read_bytes()  # a pipe can be read but once
        return list(chain.from_iterable(line_blocks(BytesIO(data), name_of(path))))
    except (BadData, OSError) as error:
        raise cannot_read(path, error) from None


def cannot_read(path: Path | None, error: Exception) -> Exception:
    """What to raise where reading texts failed; a fault of ours as it is."""
    if isinstance(error, BadData):
        return UserError(str(error))
    if isinstance(error, OSError):
        advice = "" if path is None else "Name a file of one text a line that you may read."
        return UserError(f"{name_of(path)}: cannot be read ({error.strerror}).", advice)
    return error


def require_no_texts(path: Path, option: str, texts: Iterable[Path], whose: str) -> None:
    """Raise UserError where results would be put in the place of texts that are read, under whatever name."""
    # Not Path.is_file, which raises for what is too long to be a name: these may be any texts.
    if any(path.exists() and os.path.isfile(read) and read.samefile(path) for read in texts):  # noqa: PTH113
        raise UserError(f"{option} {path} is {whose}: the texts would be lost.", "Name another file.")


def require_outside_runs(path: Path) -> None:
    """Raise UserError where results would be put in a run's folder: one file more, or another, would spoil the run."""
    if run := next(filter(is_run, _real(path).parents), None):
        raise UserError(f"{path} lies in the folder of a run, {run}.", "Choose a place outside of it.")


@contextmanager
def output_file(path: Path) -> Iterator[TextIO]:
    """A text file to fill, whole under its name once the block has ended well, and otherwise not there.

    What is no file (a pipe, /dev/null) is written as it is. Raises UserError where it cannot be written, and in a run's
    folder.
    """
    require_outside_runs(path)
    is_file = path.is_file() or not path.exists()
    try:
        with _whole(_real(path)) if is_file else path.open("w", encoding="utf-8", newline="\n") as file:
            yield file
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror}).", "Name another place.") from error


def _real(path: Path) -> Path:
    """Where its links lead. Not Path.resolve, which raises where one leads to itself: writing there says so."""
    return Path(os.path.realpath(path))


@contextmanager
def _whole(path: Path) -> Iterator[TextIO]:
    with whole_file(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="\n")
        try:
            yield text
        finally:
            text.detach()  # flushed; the file is closed by who opened it
