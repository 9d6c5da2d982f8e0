"""A run folder that a stranger made: nothing in it may lead out of it, or never end when it is read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from core.errors import UserError
from core.run_files.documents import reading

_FOLDERS = ("validations", "probes", "snapshots", "checkpoints")
_DOCUMENTS = ("config.yaml", "environment.json", "vocabulary.json", "src.model", "tgt.model", "label.json")
_FILES = (*_DOCUMENTS, "run.json", "metrics.jsonl", "log.txt")


def require_confined(run: Path) -> None:
    """Raise UserError where a file or folder that we read or write is a link, a pipe or a device.

    What a person laid beside them is none of ours, and may be a link.
    """
    for entry in _entries(run):
        if not (entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)):
            what = "a link" if entry.is_symlink() else "a pipe or a device"
            raise UserError(
                f"{entry.path} is {what}; a run's files lie in its own folder.",
                "Put the file itself in its place, or take the run from somebody you know.",
            )


def _entries(run: Path) -> Iterator[os.DirEntry[str]]:
    for entry in _listed(run):
        if entry.name.removesuffix(".tmp") in (*_FILES, *_FOLDERS):
            yield entry
        if entry.name in _FOLDERS and not entry.is_symlink():
            yield from _all_within(Path(entry.path))


def _all_within(folder: Path) -> Iterator[os.DirEntry[str]]:
    for entry in _listed(folder):
        yield entry
        if entry.is_dir(follow_symlinks=False):
            yield from _all_within(Path(entry.path))


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    # What is not there, the process that writes the run has just removed.
    with reading(folder), suppress(FileNotFoundError), os.scandir(folder) as entries:
        return list(entries)
    return []
