"""Repairs what a crash left in a run folder. Files with other names are the user's and stay."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from core.at_path import exists
from core.run_files.atomic import OLD_SUFFIX, TEMPORARY_SUFFIX
from core.run_files.file_names import DOCUMENTS, METRICS, any_of
from core.run_files.step_files import CHECKPOINTS, STEP_FILE_SUFFIXES

# Not label.json: a process that only looks at the run may be writing it.
_DOCUMENTS = re.compile(any_of((*DOCUMENTS, METRICS)))
_STEPS = re.compile(r"[0-9]{6,}(\.jsonl|\.safetensors)?")


def recover(run: Path) -> None:
    """Finish or undo the replacement of a checkpoint, and remove temporary files."""
    for old in _named(run / CHECKPOINTS, _STEPS, OLD_SUFFIX):
        path = old.with_suffix("")
        if exists(path):
            shutil.rmtree(old)
        else:
            old.replace(path)
    for file in _named(run, _DOCUMENTS, TEMPORARY_SUFFIX):
        file.unlink()
    for folder in STEP_FILE_SUFFIXES:
        for file in _named(run / folder, _STEPS, TEMPORARY_SUFFIX):
            file.unlink()
    for folder_of_a_step in _named(run / CHECKPOINTS, _STEPS, TEMPORARY_SUFFIX):
        shutil.rmtree(folder_of_a_step)


def _named(folder: Path, names: re.Pattern[str], suffix: str) -> Iterator[Path]:
    """The entries of a folder whose names are ours with this ending."""
    return (path for path in list(folder.iterdir()) if path.suffix == suffix and names.fullmatch(path.stem))
