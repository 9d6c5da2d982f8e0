"""Turns an OSError of writing into a sentence about the path that the user named."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.at_path import is_file
from core.errors import RunNotWritable, UserError
from core.machine.resource_errors import as_file_limit_error


@contextmanager
def reporting_write_errors(
    path: Path, option: str = "--runs-dir", *, advice: str = "", error_type: type[UserError] = RunNotWritable
) -> Iterator[None]:
    """Turn an OSError in the block into an error about `path` or what is in it, with the option that names `path`, or
    other advice.

    For a RunNotWritable the window offers to keep the run at hand elsewhere: for files that are not that run's, let
    `error_type` be UserError.
    """
    try:
        yield
    except OSError as error:
        what_to_do, where = advice or f"Choose another folder ({option} in a terminal).", unwritable_path(error, path)
        raise as_file_limit_error(error) or error_type(
            f"{where} cannot be written: {why_not_written(error, where)}.", what_to_do
        ) from None


def require_no_file_in_the_way(folder: Path) -> None:
    """Raise OSError if a folder cannot be made, as it, or one that it is to be in, is a file."""
    if _file_in_the_way(folder) is not None:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def why_not_written(error: OSError, path: Path) -> str:
    """Why `path` could not be made or written: the system's words, but for a file where a folder was to be made."""
    if isinstance(error, FileExistsError | NotADirectoryError) and (file := _file_in_the_way(path)):
        return f"{'it' if file == path else file} is a file, expected a folder"
    return error.strerror or str(error)


def _file_in_the_way(folder: Path) -> Path | None:
    return next(filter(is_file, (folder, *folder.parents)), None)


def unwritable_path(error: OSError, path: Path) -> Path:
    """The file or folder within `path` that the error is about; of a new one, the folder it was to be in."""
    named = Path(error.filename or path)
    within = (one for one in (named, *named.parents) if one.is_relative_to(path))
    return next(filter(os.path.lexists, within), path)
