"""The cache of prepared datasets: folders that appear whole, and go when others have been used more lately."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.errors import UserError

NUM_KEPT = 30
"""Folders kept: each edit of a dataset's options makes one."""
ABANDONED_SECONDS = 86_400
"""A folder still being built after this time belongs to a process that was killed."""
_BUILDING = ".building-"
_SIZES = "sizes.json"


@contextmanager
def building_folder(cache_dir: Path) -> Iterator[Path]:
    """A folder to build in, gone afterwards unless it was published. Raises UserError where it cannot be written."""
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=_BUILDING, dir=cache_dir))
        try:
            yield building
        finally:
            shutil.rmtree(building, ignore_errors=True)
    except OSError as error:
        raise UserError(
            f"The dataset cannot be written to {cache_dir}: {error.strerror or error}.",
            "Free some space there, or make the folder writable.",
        ) from error


def publish(building: Path, folder: Path) -> None:
    """Let what was built appear as `folder`, whole or not at all; what is there whole stays."""
    sizes = {path.name: path.stat().st_size for path in building.iterdir()}
    (building / _SIZES).write_text(json.dumps(sizes))
    if not is_whole(folder):
        shutil.rmtree(folder, ignore_errors=True)
        try:
            building.rename(folder)
        except OSError:
            if not is_whole(folder):  # else another process was faster with the same content
                raise


def is_whole(folder: Path) -> bool:
    """Whether everything published is there in full: a power cut may have cut off what was not on disk yet."""
    try:
        sizes = json.loads((folder / _SIZES).read_text())
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError):
        return False


def tidy(cache_dir: Path, used: Path) -> None:
    """Mark a folder as used now; remove those unused longest and what killed processes left half-built.

    Whoever has one open keeps what is mapped. Nothing else in `cache_dir` is touched.
    """
    os.utime(used)
    last_used: dict[Path, float] = {}
    for folder in cache_dir.iterdir():
        with suppress(FileNotFoundError):  # another process has published or removed it just now
            if folder.is_dir():
                last_used[folder] = folder.stat().st_mtime
    published = [folder for folder in sorted(last_used, key=last_used.__getitem__) if (folder / _SIZES).exists()]
    abandoned = [
        folder
        for folder, built in last_used.items()
        if folder.name.startswith(_BUILDING) and built < time.time() - ABANDONED_SECONDS
    ]
    for folder in published[:-NUM_KEPT] + abandoned:
        shutil.rmtree(folder, ignore_errors=True)
