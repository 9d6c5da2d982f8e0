"""`export` writes where nothing is, and takes only what acts on its format."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.in_process import called


@pytest.mark.parametrize("what", ["safetensors", "onnx", "headlight"])
def test_what_is_there_already_is_left_as_it_is(place: Path, tmp_path: Path, what: str) -> None:
    notes = tmp_path / "notes.yaml"
    notes.write_text("mine", encoding="utf-8")
    result = called("export", place / "run", "--format", what, "--output", notes, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"headlight: {notes} is there already. Choose a name that is free.\n"
    assert notes.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("what", ["safetensors", "headlight"])
def test_a_place_that_cannot_be_written_names_the_option(place: Path, tmp_path: Path, what: str) -> None:
    result = called("export", place / "run", "--format", what, "--output", "no/where", cwd=tmp_path)
    why = "no/where cannot be written: No such file or directory. Choose another folder (--output in a terminal)."
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"headlight: {why}\n")


def test_a_shared_run_has_no_one_checkpoint(place: Path, tmp_path: Path) -> None:
    arguments = ("--format", "headlight", "--checkpoint", "best", "--output", "shared.headlight")
    result = called("export", place / "run", *arguments, cwd=tmp_path)
    assert (result.returncode, list(tmp_path.iterdir())) == (2, [])
    assert result.stderr == (
        "headlight: --checkpoint: the format headlight holds the weights of all steps that the run kept. "
        "Leave it out; safetensors and onnx take one.\n"
    )
