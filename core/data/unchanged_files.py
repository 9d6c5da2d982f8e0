"""Data whose files are as they were: found again without drawing a pair, by names, sizes and times of change.

What decides pairs without any file is code alone, which is part of the recipe.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.data.cache import is_whole
from core.errors import UserError

_STAMP = "files.json"
_SETTLED_SECONDS = 2.0
"""A file that changed later than this may change again within the same tick of its clock."""

Look = tuple[int, int] | None
"""Bytes of a file, and when it was changed, in nanoseconds; None where it cannot be looked at."""


def look_at(files: Sequence[str]) -> dict[str, Look]:
    """These files as they are now, without reading them."""
    return {file: _look(Path(file)) for file in files}


def _look(file: Path) -> Look:
    try:
        found = file.stat()
    except OSError:  # drawing says it in better words
        return None
    return found.st_size, found.st_mtime_ns


def require_unchanged(looks: Mapping[str, Look]) -> None:
    """Raises UserError that names the first of these files that does not look so any more."""
    for file, look in looks.items():
        if look is not None and _look(Path(file)) != look:
            raise UserError(f"{file} changed while pairs were drawn from it.", "Try again once it is complete.")


def stamp_of(recipe: Any, looks: Mapping[str, Look]) -> str | None:
    """What `recipe` makes of files that look so; None where that cannot be told without reading them."""
    settled = (time.time() - _SETTLED_SECONDS) * 1e9
    if any(look is None or look[1] > settled for look in looks.values()):
        return None
    known = [recipe, [[file, *look] for file, look in looks.items() if look]]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()


def remember(folder: Path, stamp: str) -> None:
    """Note what a published folder was made of last."""
    (folder / _STAMP).write_text(json.dumps(stamp), encoding="utf-8")


def find_unchanged(cache_dir: Path, stamp: str) -> list[Path]:
    """The whole folders that were made of just this."""
    return [folder for folder in sorted(cache_dir.iterdir()) if _read(folder) == stamp and is_whole(folder)]


def _read(folder: Path) -> Any:
    try:
        return json.loads((folder / _STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
