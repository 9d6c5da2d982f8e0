"""The names of files and folders of single steps; other names in these folders are ignored."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.run_files.step_files import CHECKPOINTS, STEP_FOLDERS, step_path, steps_in


def test_names_follow_the_format(tmp_path: Path) -> None:
    names = [step_path(tmp_path, kind, 50).relative_to(tmp_path).as_posix() for kind in STEP_FOLDERS]
    files = ["validations/000050.jsonl", "probes/000050.safetensors", "snapshots/000050.safetensors"]
    assert names == [*files, "checkpoints/000050"]


@pytest.mark.parametrize("kind", STEP_FOLDERS)
def test_steps_are_read_from_valid_names_only(tmp_path: Path, kind: str) -> None:
    assert steps_in(tmp_path, kind) == []
    for step in (1_000_000, 20, 3):
        path = step_path(tmp_path, kind, step)
        path.parent.mkdir(exist_ok=True)
        path.touch()
    for name in ("best", "12.safetensors", "000004.tmp", "000005.old", "000006.txt"):
        (tmp_path / kind / name).touch()
    assert steps_in(tmp_path, kind) == [3, 20, 1_000_000]


def test_replaced_checkpoints_are_found_by_their_suffix(tmp_path: Path) -> None:
    old = step_path(tmp_path, CHECKPOINTS, 5).with_suffix(".old")
    old.mkdir(parents=True)
    assert (steps_in(tmp_path, CHECKPOINTS), steps_in(tmp_path, CHECKPOINTS, ".old")) == ([], [5])
