"""Finds prepared data again without drawing a pair, if the files they were made of are unchanged by their metadata.

Pairs that come from no file are decided by code alone, and the code is part of the recipe.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from core.errors import UserError

_STAMP = "files.json"
_SETTLED_SECONDS = 2.0
"""A file that changed less than this ago may change again within the same tick of its timestamps."""


class FileStat(NamedTuple):
    """A file's metadata, read without reading the file; times in nanoseconds."""

    size: int
    mtime_ns: int  # mtime, which copying or unpacking a file may preserve
    ctime_ns: int  # ctime, which no program can set
    inode: int


FileStats = Mapping[str, FileStat | None]
"""By file; None if its metadata cannot be read."""


def stat_files(files: Sequence[str]) -> dict[str, FileStat | None]:
    """The present metadata of these files."""
    return {file: _stat(Path(file)) for file in files}


def _stat(file: Path) -> FileStat | None:
    try:
        found = file.stat()
    except (OSError, ValueError):  # ValueError: a NUL byte in its name. Drawing the pairs explains it better
        return None
    return FileStat(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def require_unchanged(file_stats: FileStats) -> None:
    """Raise UserError naming the first of these files that was written to since then.

    Only size and mtime count: a renamed file or new permissions are no reason to start over, nor is the inode of a
    drive that gives a different one each time.
    """
    for file, stat in file_stats.items():
        current = _stat(Path(file))
        if stat is not None and (current is None or (current.size, current.mtime_ns) != (stat.size, stat.mtime_ns)):
            raise UserError(f"{file} changed while pairs were drawn from it.", "Try again once it is complete.")


def compute_stamp(recipe: Any, file_stats: FileStats) -> str | None:
    """A hash of `recipe` and the files' metadata; None if a file is missing or changed too recently to trust them."""
    settled = (time.time() - _SETTLED_SECONDS) * 1e9
    if any(stat is None or stat.mtime_ns > settled for stat in file_stats.values()):
        return None
    known = [recipe, [[file, *stat] for file, stat in file_stats.items() if stat]]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()


def write_stamp(folder: Path, stamp: str) -> None:
    """Store the stamp of what a published folder was last made of."""
    (folder / _STAMP).write_text(json.dumps(stamp), encoding="utf-8")


def find_by_stamp(cache_dir: Path, stamp: str) -> list[Path]:
    """The folders with this stamp."""
    return [folder for folder in sorted(cache_dir.iterdir()) if _read_stamp(folder) == stamp]


def _read_stamp(folder: Path) -> Any:
    try:
        return json.loads((folder / _STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
