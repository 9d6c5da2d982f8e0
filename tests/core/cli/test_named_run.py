"""A RUN of the command line is a path, or a folder's name in the runs folder, for every verb."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.in_process import run_headlight

VERBS = (
    ("train", "--resume", "one"),
    ("evaluate", "one"),
    ("translate", "one", "a b"),
    ("export", "one", "--format", "safetensors", "--output", "weights.safetensors"),
    ("runs", "show", "one"),
    ("runs", "compare", "one"),
    ("runs", "delete", "one"),
)


@pytest.mark.parametrize("words", VERBS, ids=lambda words: " ".join(words[:2]))
def test_every_verb_takes_the_name_of_a_folder_in_the_runs_folder(
    workspace: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    runs_dir = tmp_path / "runs"
    shutil.copytree(workspace / "run", runs_dir / "one")
    result = run_headlight(*words, "--runs-dir", runs_dir, cwd=tmp_path)
    assert (result.returncode, result.stdout != "") == (0, True), result.stderr
    result = run_headlight(*words, "--runs-dir", workspace, cwd=tmp_path)
    assert result.returncode == 2 and result.stderr.startswith("headlight: one: there is no such run,")
