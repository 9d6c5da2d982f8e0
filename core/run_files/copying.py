"""A run's files, taken along into another folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from core.run_files.atomic import OLD, TEMPORARY
from core.run_files.by_step import FILES, FOLDERS
from core.run_files.documents import reading, require_room_to_read
from core.run_files.names import LABEL, LOG, METRICS


def files_to_copy(run: Path) -> list[Path]:
    """What a run holds besides its documents; no half of an exchange, and nothing that only leads elsewhere."""
    named = [run / name for name in (METRICS, LOG, LABEL)]
    listed = [path for name in FOLDERS for path in sorted(_files_below(run / name))]
    return [path for path in (*named, *listed) if _is_plain(path) and _is_published(path, run)]


def files_until(run: Path, step: int) -> list[Path]:
    """Of these what tells of the run's past up to a step; its metrics are still whole, and its checkpoints left out."""
    kinds = [run / name for name in FILES]
    kept = [path for path in files_to_copy(run) if path.parent in kinds and path.stem.isdecimal()]
    past = [path for path in kept if int(path.stem) <= step]
    metrics = run / METRICS
    return [*past, metrics] if metrics.is_file() else past


def size_of(files: Iterable[Path]) -> int:
    """The bytes they take, as far as they are still there."""
    total = 0
    for path in files:
        with suppress(OSError):
            total += path.stat().st_size
    return total


def bytes_to_copy(path: Path) -> bytes | None:
    """What one of them holds; None where it is gone, since whoever trains that run thins what it keeps.

    Raises DamagedFile where it cannot be read.
    """
    with reading(path):
        try:
            require_room_to_read(path, 1)
            return path.read_bytes()
        except FileNotFoundError:
            return None


def _files_below(folder: Path) -> Iterator[Path]:
    # Not rglob, which raises where a disk that is failing lists a folder no longer.
    return (Path(inner, name) for inner, _, names in os.walk(folder) for name in names)


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False
    except OSError:  # whoever reads it will be told why that cannot be done
        return True


def _is_published(path: Path, run: Path) -> bool:
    return not any(part.endswith((TEMPORARY, OLD)) for part in path.relative_to(run).parts)
