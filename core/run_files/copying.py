"""A run's files, taken along into another folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from core.run_files.atomic import TEMPORARY

_FILES = ("metrics.jsonl", "log.txt")
_FOLDERS = ("validations", "probes", "snapshots", "checkpoints")


def files_to_copy(run: Path) -> list[Path]:
    """What a run holds besides its documents; no half of an exchange, and nothing that only leads elsewhere."""
    named = [run / name for name in _FILES]
    listed = [path for name in _FOLDERS for path in sorted((run / name).rglob("*"))]
    return [path for path in (*named, *listed) if path.is_file() and not path.is_symlink() and _is_published(path, run)]


def copy_files(source: Path, target: Path) -> Iterator[Path]:
    """Copy them to the run folder `target`; yields each file that is there now."""
    for path in files_to_copy(source):
        copied = target / path.relative_to(source)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copied)
        yield copied


def _is_published(path: Path, run: Path) -> bool:
    return not any(part.endswith((TEMPORARY, ".old")) for part in path.relative_to(run).parts)
