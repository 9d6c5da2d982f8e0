"""A run's files, taken along into another folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from core.run_files.atomic import OLD, TEMPORARY
from core.run_files.by_step import FILES, FOLDERS

_FILES = ("metrics.jsonl", "log.txt", "label.json")


def files_to_copy(run: Path) -> list[Path]:
    """What a run holds besides its documents; no half of an exchange, and nothing that only leads elsewhere."""
    named = [run / name for name in _FILES]
    listed = [path for name in FOLDERS for path in sorted((run / name).rglob("*"))]
    return [path for path in (*named, *listed) if path.is_file() and not path.is_symlink() and _is_published(path, run)]


def files_until(run: Path, step: int) -> list[Path]:
    """Of these what tells of the run's past up to a step; its metrics are still whole, and its checkpoints left out."""
    kinds = [run / name for name in FILES]
    past = [path for path in files_to_copy(run) if path.parent in kinds and _is_until(path, step)]
    metrics = run / "metrics.jsonl"
    return [*past, metrics] if metrics.is_file() else past


def copy_file(path: Path, source: Path, target: Path) -> Path:
    """Copy a file of the run folder `source` to the same place in `target`."""
    copied = target / path.relative_to(source)
    copied.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, copied)
    return copied


def _is_until(path: Path, step: int) -> bool:
    return path.stem.isdecimal() and int(path.stem) <= step


def _is_published(path: Path, run: Path) -> bool:
    return not any(part.endswith((TEMPORARY, OLD)) for part in path.relative_to(run).parts)
