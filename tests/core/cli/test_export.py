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
