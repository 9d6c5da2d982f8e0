"""Which files of a run are copied with it into another folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from core.at_path import is_file
from core.run_files.atomic import OLD_SUFFIX, TEMPORARY_SUFFIX
from core.run_files.documents import reporting_read_errors, require_memory_to_read
from core.run_files.file_names import LABEL, LOG, METRICS
from core.run_files.step_files import STEP_FILE_SUFFIXES, STEP_FOLDERS


def files_to_copy(run: Path) -> list[Path]:
    """A run's files except its documents, without temporary files and links."""
    named = [run / name for name in (METRICS, LOG, LABEL)]
    listed = [path for name in STEP_FOLDERS for path in sorted(_files_below(run / name))]
    return [path for path in (*named, *listed) if _is_plain(path) and _is_published(path, run)]


def files_until(run: Path, step: int) -> list[Path]:
    """The files to copy of a run's past up to a step: metrics.jsonl as a whole, and no checkpoints."""
    kinds = [run / name for name in STEP_FILE_SUFFIXES]
    kept = [path for path in files_to_copy(run) if path.parent in kinds and path.stem.isdecimal()]
    past = [path for path in kept if int(path.stem) <= step]
    metrics = run / METRICS
    return [*past, metrics] if is_file(metrics) else past


def size_of(files: Iterable[Path]) -> int:
    """The total size in bytes of the files that still exist."""
    total = 0
    for path in files:
        with suppress(OSError):
            total += path.stat().st_size
    return total


def read_to_copy(path: Path) -> bytes | None:
    """The content of a file to copy; None if it is gone, since the process that trains the run thins its files.

    Raises DamagedFile if it cannot be read.
    """
    with reporting_read_errors(path):
        try:
            require_memory_to_read(path, 1)
            return path.read_bytes()
        except FileNotFoundError:
            return None


def _files_below(folder: Path) -> Iterator[Path]:
    # Not rglob, which raises if a failing disk no longer lists a folder.
    return (Path(inner, name) for inner, _, names in os.walk(folder) for name in names)


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False
    except OSError:  # reading it will raise a sentence that says why
        return True


def _is_published(path: Path, run: Path) -> bool:
    return not any(part.endswith((TEMPORARY_SUFFIX, OLD_SUFFIX)) for part in path.relative_to(run).parts)
