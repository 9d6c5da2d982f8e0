"""Checks an untrusted run folder: nothing in it may lead out of it, or block for ever when it is read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from core.errors import UserError
from core.run_files.by_step import FOLDERS
from core.run_files.documents import reading
from core.run_files.names import ALL


def require_confined(run: Path) -> None:
    """Raise UserError if anything that we read or write is a link, a pipe or a device, or a folder instead of a file.

    The user's own files beside them may be links.
    """
    for entry in _entries(run):
        what = _what_else(entry)
        if what:
            raise UserError(
                f"{entry.path} is {what}; a run's files lie in its own folder.",
                "Put the file itself in its place, or take the run from somebody you trust.",
            )


def _what_else(entry: os.DirEntry[str]) -> str:
    """What the entry is, if it is not what it should be; otherwise an empty text."""
    if entry.is_dir(follow_symlinks=False):
        return "a folder and no file" if entry.name.removesuffix(".tmp") in ALL else ""
    if entry.is_file(follow_symlinks=False):
        return ""
    return "a link" if entry.is_symlink() else "a pipe or a device"


def _entries(run: Path) -> Iterator[os.DirEntry[str]]:
    for entry in _listed(run):
        if entry.name.removesuffix(".tmp") in (*ALL, *FOLDERS):
            yield entry
        if entry.name in FOLDERS and not entry.is_symlink():
            yield from _all_within(Path(entry.path))


def _all_within(folder: Path) -> Iterator[os.DirEntry[str]]:
    for entry in _listed(folder):
        yield entry
        if entry.is_dir(follow_symlinks=False):
            yield from _all_within(Path(entry.path))


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    # A missing folder may just have been removed by the process that writes the run.
    with reading(folder), suppress(FileNotFoundError), os.scandir(folder) as entries:
        return list(entries)
    return []
