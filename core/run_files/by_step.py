"""What a run keeps step by step: in which folders, and under which names."""

from __future__ import annotations

import os
import re
from pathlib import Path

from core.run_files.atomic import patiently, remove_folder

FILES = {"validations": ".jsonl", "probes": ".safetensors", "snapshots": ".safetensors"}
"""Folders of a file a step, and how the files end."""
CHECKPOINTS = "checkpoints"
"""The folder of a folder a step."""
FOLDERS = (*FILES, CHECKPOINTS)


def step_path(run: Path, kind: str, step: int) -> Path:
    """`probes/000050.safetensors`, or the folder `checkpoints/000500`; `kind` is one of FOLDERS."""
    return run / kind / f"{step:06d}{_ending(kind)}"


def steps_in(run: Path, kind: str, more: str = "") -> list[int]:
    """The steps that the names in one of FOLDERS stand for, ascending; of names with `more` behind them."""
    folder, pattern = run / kind, re.compile(r"([0-9]{6,})" + re.escape(_ending(kind) + more))
    names = os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208 (the fastest way; it is asked often)
    return sorted(int(match[1]) for match in map(pattern.fullmatch, names) if match)


def remove_step(run: Path, kind: str, step: int) -> None:
    """Remove the file or folder of a step; a crash on the way leaves it whole, or nothing under its name."""
    path = step_path(run, kind, step)
    if kind in FILES:
        patiently(path.unlink)
    else:
        remove_folder(path)


def _ending(kind: str) -> str:
    return FILES.get(kind, "")
