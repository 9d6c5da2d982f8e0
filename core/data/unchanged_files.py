"""Data whose files are as they were: found again without drawing a pair, by what the system tells of them.

What decides pairs without any file is code alone, which is part of the recipe.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from core.data.cache import is_whole
from core.errors import UserError

_STAMP = "files.json"
_SETTLED_SECONDS = 2.0
"""A file that changed later than this may change again within the same tick of its clock."""


class Look(NamedTuple):
    """A file as it is found without reading it; times in nanoseconds."""

    num_bytes: int
    changed: int  # whoever copies or unpacks a file may keep this of the old one
    touched: int  # when the system last noted anything of it (ctime): nobody sets it
    inode: int


Looks = Mapping[str, Look | None]
"""By file; None where it cannot be looked at."""


def look_at(files: Sequence[str]) -> dict[str, Look | None]:
    """These files as they are now, without reading them."""
    return {file: _look(Path(file)) for file in files}


def _look(file: Path) -> Look | None:
    try:
        found = file.stat()
    except (OSError, ValueError):  # ValueError: a NUL byte in its name. Drawing says it in better words
        return None
    return Look(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def require_unchanged(looks: Looks) -> None:
    """Raises UserError that names the first of these files that was written to since.

    A new name or right is no reason to begin anew, nor the inode of a drive that gives another each time.
    """
    for file, look in looks.items():
        now = _look(Path(file))
        if look is not None and (now is None or (now.num_bytes, now.changed) != (look.num_bytes, look.changed)):
            raise UserError(f"{file} changed while pairs were drawn from it.", "Try again once it is complete.")


def stamp_of(recipe: Any, looks: Looks) -> str | None:
    """What `recipe` makes of files that look so; None where that cannot be told without reading them."""
    settled = (time.time() - _SETTLED_SECONDS) * 1e9
    if any(look is None or look.changed > settled for look in looks.values()):
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
