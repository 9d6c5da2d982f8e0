"""The folders and names of the files that a run keeps for its steps."""

from __future__ import annotations

import os
import re
from pathlib import Path

from core.at_path import is_dir
from core.run_files.atomic import TEMPORARY_SUFFIX, remove_folder, retry_while_open

VALIDATIONS, PROBES, SNAPSHOTS, CHECKPOINTS = "validations", "probes", "snapshots", "checkpoints"
STEP_FILE_SUFFIXES = {VALIDATIONS: ".jsonl", PROBES: ".safetensors", SNAPSHOTS: ".safetensors"}
"""The folders with a file for each step, and the files' suffixes; CHECKPOINTS has a folder for each."""
STEP_FOLDERS = (*STEP_FILE_SUFFIXES, CHECKPOINTS)
STEP_FILES = "|".join(rf"{kind}/[0-9]{{6,12}}{re.escape(suffix)}" for kind, suffix in STEP_FILE_SUFFIXES.items())
"""A regular expression for their paths in a run, which has steps of at most twelve digits (`core.run_files.state`)."""


def step_path(run: Path, kind: str, step: int) -> Path:
    """`probes/000050.safetensors`, or the folder `checkpoints/000500`; `kind` is one of STEP_FOLDERS."""
    return run / kind / f"{step:06d}{_suffix(kind)}"


def steps_in(run: Path, kind: str, extra_suffix: str = "") -> list[int]:
    """The steps that have a file or folder in `kind`, one of STEP_FOLDERS, ascending; `extra_suffix` comes last."""
    folder, pattern = run / kind, re.compile(r"([0-9]{6,})" + re.escape(_suffix(kind) + extra_suffix))
    names = os.listdir(folder) if is_dir(folder) else []  # noqa: PTH208 (the fastest way; it is asked often)
    return sorted(int(match[1]) for match in map(pattern.fullmatch, names) if match)


def remove_step(run: Path, kind: str, step: int) -> None:
    """Remove the file or folder of a step; after a crash it is whole, or nothing has its name."""
    path = step_path(run, kind, step)
    if kind in STEP_FILE_SUFFIXES:
        retry_while_open(path.unlink)
    else:
        remove_folder(path)


def require_writable(run: Path, kind: str) -> None:
    """Raise OSError if nothing can be made in the folder `kind`: what may forbid it, only an attempt shows.

    Only for the run's writer. If it is killed meanwhile, `recover` removes what was made.
    """
    step = step_path(run, kind, 0)
    attempt = step.with_name(f"{step.name}{TEMPORARY_SUFFIX}")
    if kind in STEP_FILE_SUFFIXES:
        attempt.touch()
        attempt.unlink()
    else:
        attempt.mkdir()
        attempt.rmdir()


def _suffix(kind: str) -> str:
    return STEP_FILE_SUFFIXES.get(kind, "")
