"""Repairs what a crash left in a run folder. Files with other names are the user's and stay."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from core.run_files.atomic import OLD, TEMPORARY
from core.run_files.by_step import CHECKPOINTS, FILES
from core.run_files.names import DOCUMENTS, METRICS, one_of

# Not label.json: a process that only looks at the run may be writing it.
_DOCUMENTS = re.compile(one_of((*DOCUMENTS, METRICS)))
_STEPS = re.compile(r"[0-9]{6,}(\.jsonl|\.safetensors)?")


def recover(run: Path) -> None:
    """Finish or undo the replacement of a checkpoint, and remove temporary files."""
    for old in _named(run / CHECKPOINTS, _STEPS, OLD):
        path = old.with_suffix("")
        if path.exists():
            shutil.rmtree(old)
        else:
            old.replace(path)
    for file in _named(run, _DOCUMENTS, TEMPORARY):
        file.unlink()
    for folder in FILES:
        for file in _named(run / folder, _STEPS, TEMPORARY):
            file.unlink()
    for folder_of_a_step in _named(run / CHECKPOINTS, _STEPS, TEMPORARY):
        shutil.rmtree(folder_of_a_step)


def _named(folder: Path, names: re.Pattern[str], ending: str) -> Iterator[Path]:
    """The entries of a folder whose names are ours with this ending."""
    return (path for path in list(folder.iterdir()) if path.suffix == ending and names.fullmatch(path.stem))
