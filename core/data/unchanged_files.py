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


class Look(NamedTuple):
    """A file's metadata, read without reading the file; times in nanoseconds."""

    num_bytes: int
    changed: int  # mtime, which copying or unpacking a file may preserve
    touched: int  # ctime, which no program can set
    inode: int


Looks = Mapping[str, Look | None]
"""By file; None if its metadata cannot be read."""


def look_at(files: Sequence[str]) -> dict[str, Look | None]:
    """The present metadata of these files."""
    return {file: _look(Path(file)) for file in files}


def _look(file: Path) -> Look | None:
    try:
        found = file.stat()
    except (OSError, ValueError):  # ValueError: a NUL byte in its name. Drawing the pairs explains it better
        return None
    return Look(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def require_unchanged(looks: Looks) -> None:
    """Raise UserError naming the first of these files that was written to since then.

    Only size and mtime count: a renamed file or new permissions are no reason to start over, nor is the inode of a
    drive that gives a different one each time.
    """
    for file, look in looks.items():
        now = _look(Path(file))
        if look is not None and (now is None or (now.num_bytes, now.changed) != (look.num_bytes, look.changed)):
            raise UserError(f"{file} changed while pairs were drawn from it.", "Try again once it is complete.")


def stamp_of(recipe: Any, looks: Looks) -> str | None:
    """A hash of `recipe` and the files' metadata; None if a file is missing or changed too recently to trust them."""
    settled = (time.time() - _SETTLED_SECONDS) * 1e9
    if any(look is None or look.changed > settled for look in looks.values()):
        return None
    known = [recipe, [[file, *look] for file, look in looks.items() if look]]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()


def remember(folder: Path, stamp: str) -> None:
    """Store the stamp of what a published folder was last made of."""
    (folder / _STAMP).write_text(json.dumps(stamp), encoding="utf-8")


def find_unchanged(cache_dir: Path, stamp: str) -> list[Path]:
    """The folders with this stamp."""
    return [folder for folder in sorted(cache_dir.iterdir()) if _read(folder) == stamp]


def _read(folder: Path) -> Any:
    try:
        return json.loads((folder / _STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
