"""The name and note that a user gives a run: read back, refused if altered, and independent of training."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.config import RunConfig
from core.errors import UserError
from core.run_files.documents import checksum, json_bytes
from core.run_files.file_names import LABEL
from core.run_files.label import MAX_NOTE_LENGTH, RunLabel
from core.run_folder import RunFolder
from core.runs.run_summary import summarise


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """A run written by this process."""
    folder = RunFolder.create_at(tmp_path / "run")
    folder.write_config(RunConfig.model_validate({"dataset": {"plugin": "copy_task"}, "name": "mine"}))
    return folder


def test_a_run_is_named_by_its_label_or_by_its_settings(run: RunFolder) -> None:
    assert (summarise(run).name, summarise(run).note) == ("mine", "")
    run.write_label(RunLabel(name="Größer – 更大", note="two\nlines"))
    assert (summarise(run).name, summarise(run).note) == ("Größer – 更大", "two\nlines")
    run.write_label(RunLabel(note="a note alone"))
    assert (summarise(run).name, summarise(run).note) == ("mine", "a note alone")


def test_training_neither_loses_nor_overwrites_the_label(run: RunFolder) -> None:
    RunFolder.open(run.path).write_label(RunLabel(name="new name"))  # from another process
    run.update(last_step=3)
    run.release("stopped")
    assert RunFolder.open(run.path).label().name == "new name"
    assert RunFolder.open(run.path).state.last_step == 3


@pytest.mark.parametrize(
    ("altered", "expected"),
    [
        ('"name": "two\\nlines"', "name"),
        (f'"name": "{"x" * 201}"', "name"),
        ('"name": 1', "name"),
        ('"name": "mine", "more": 1', "more"),
    ],
)
def test_an_altered_label_is_refused(run: RunFolder, altered: str, expected: str) -> None:
    run.write_label(RunLabel(name="mine"))
    path = run.path / LABEL
    path.write_text(path.read_text(encoding="utf-8").replace('"name": "mine"', altered), encoding="utf-8")
    with pytest.raises(UserError, match="checksum"):
        run.label()
    record = {key: value for key, value in json.loads(path.read_text(encoding="utf-8")).items() if key != "checksum"}
    path.write_bytes(json_bytes({"checksum": checksum(json_bytes(record)), **record}))
    with pytest.raises(UserError, match=f"{LABEL}.*{expected}") as exc_info:
        run.label()
    assert "delete it" in exc_info.value.advice


def test_a_note_that_is_too_long_is_not_written(run: RunFolder) -> None:
    with pytest.raises(UserError, match="10,001 characters"):
        run.write_label(RunLabel(note="x" * (MAX_NOTE_LENGTH + 1)))
    assert run.label() == RunLabel()


@pytest.mark.parametrize("name", ["two\nlines", "a\tcell", "x" * 201])
def test_an_invalid_name_is_not_written(run: RunFolder, name: str) -> None:
    with pytest.raises(UserError, match="one line of at most 200 characters"):
        run.write_label(RunLabel(name=name))
    assert run.label() == RunLabel()
