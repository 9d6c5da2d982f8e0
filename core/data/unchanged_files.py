"""Data whose files are as they were: found again without drawing a pair, by names, sizes and times of change.

What decides pairs without any file is code alone, which is part of the recipe.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.data.cache import is_whole

_STAMP = "files.json"
_SETTLED_SECONDS = 2.0
"""A file that changed later than this may change again within the same tick of its clock."""


def stamp_of(recipe: Any, files: Sequence[str]) -> str | None:
    """What `recipe` makes of these files as they are now; None where that cannot be told without reading them."""
    try:
        found = [(file, Path(file).stat()) for file in files]
    except OSError:  # drawing says it in better words
        return None
    if any(time.time() - one.st_mtime < _SETTLED_SECONDS for _, one in found):
        return None
    known = [recipe, [[file, one.st_size, one.st_mtime_ns] for file, one in found]]
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
