"""Checks an untrusted run folder: nothing in it may lead out of it, or block for ever when it is read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from core.errors import UserError
from core.run_files.documents import reporting_read_errors
from core.run_files.file_names import ALL_FILES
from core.run_files.step_files import STEP_FOLDERS


def require_confined(run: Path) -> None:
    """Raise UserError if anything that we read or write is a link, a pipe or a device, or a folder instead of a file.

    The user's own files beside them may be links.
    """
    for entry in _entries(run):
        kind = _wrong_kind(entry)
        if kind:
            raise UserError(
                f"{entry.path} is {kind}; a run's files lie in its own folder.",
                "Put the file itself in its place, or take the run from somebody you trust.",
            )


def _wrong_kind(entry: os.DirEntry[str]) -> str:
    """What the entry is, if it is not what it should be; otherwise an empty text."""
    if entry.is_dir(follow_symlinks=False):
        return "a folder and no file" if entry.name.removesuffix(".tmp") in ALL_FILES else ""
    if entry.is_file(follow_symlinks=False):
        return ""
    return "a link" if entry.is_symlink() else "a pipe or a device"


def _entries(run: Path) -> Iterator[os.DirEntry[str]]:
    for entry in _scan(run):
        if entry.name.removesuffix(".tmp") in (*ALL_FILES, *STEP_FOLDERS):
            yield entry
        if entry.name in STEP_FOLDERS and not entry.is_symlink():
            yield from _walk(Path(entry.path))


def _walk(folder: Path) -> Iterator[os.DirEntry[str]]:
    for entry in _scan(folder):
        yield entry
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path))


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    # A missing folder may just have been removed by the process that writes the run.
    with reporting_read_errors(folder), suppress(FileNotFoundError), os.scandir(folder) as entries:
        return list(entries)
    return []
