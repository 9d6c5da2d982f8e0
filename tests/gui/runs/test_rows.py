"""What a row of the table of runs says."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from core.config import RunConfig
from core.run_folder import RunFolder
from core.runs.run_summary import summarise
from gui.runs.rows import RunRowReader, matches, state_in_words
from tests.reliability.privileges import unprivileged


def test_the_reason_why_a_run_stopped_is_shown(tmp_path: Path) -> None:
    run = RunFolder.create_at(tmp_path / "run")
    run.write_config(RunConfig.model_validate({"dataset": {"plugin": "copy_task"}}))
    run.update(state="paused", reason="disk", pid=2**22 + 1)  # above the maximum pid of Linux
    assert state_in_words(summarise(run)) == "interrupted: the disk could not be written"
    run.release("stopped", "plugin")
    assert state_in_words(summarise(run)) == "stopped: a plugin failed"
    run.release("stopped", "stopped")
    assert state_in_words(summarise(run)) == "stopped"


def test_a_damaged_run_is_read_again_even_if_its_files_are_unchanged(tmp_path: Path) -> None:
    """As when their permissions were fixed."""
    run = RunFolder.create_at(tmp_path / "runs" / "run")
    run.write_config(RunConfig.model_validate({"dataset": {"plugin": "copy_task"}}))
    rows, file = RunRowReader(tmp_path / "runs"), run.path / "run.json"
    intact, written = file.read_bytes(), file.stat().st_mtime_ns
    for content, is_damaged in ((b"none", True), (intact, False)):
        file.write_bytes(content)
        os.utime(file, ns=(written, written))
        assert bool(rows.read()[0].problem) == is_damaged


def test_a_run_of_a_newer_version_is_not_called_damaged(tmp_path: Path) -> None:
    run = RunFolder.create_at(tmp_path / "runs" / "run")
    run.write_config(RunConfig.model_validate({"dataset": {"plugin": "copy_task"}}))
    state = json.loads((run.path / "run.json").read_text(encoding="utf-8"))
    del state["checksum"]
    (run.path / "run.json").write_text(json.dumps(state | {"format": 2}), encoding="utf-8")
    row, _ = RunRowReader(tmp_path / "runs").read()
    assert "a newer version of Headlight made this" in row.problem
    assert matches(row, "newer") and not matches(row, "damaged")


@pytest.mark.skipif(sys.platform != "linux", reason="there, root's privileges cannot be dropped for a moment")
def test_a_link_that_leads_to_where_nobody_may_look_hides_no_other_run(tmp_path: Path) -> None:
    """As to a drive that no longer answers."""
    (tmp_path / "closed" / "run").mkdir(parents=True)
    run = RunFolder.create_at(tmp_path / "runs" / "run")
    run.write_config(RunConfig.model_validate({"dataset": {"plugin": "copy_task"}}))
    (tmp_path / "runs" / "link").symlink_to(tmp_path / "closed" / "run")
    (tmp_path / "closed").chmod(0)
    with unprivileged():
        rows = RunRowReader(tmp_path / "runs").read()
    problems = {row.path.name: row.problem for row in rows[:-1]}
    assert problems["run"] == "" and "link: it cannot be read (Permission denied)." in problems["link"]


def test_of_many_runs_the_newest_are_read_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gui.runs.rows.NUM_NEW", 2)
    for day in range(1, 6):
        run = RunFolder.create_at(tmp_path / f"2026-01-0{day}")
        run.write_config(RunConfig.model_validate({"dataset": {"plugin": "copy_task"}}))
        run.update(created=float(day))
    reader = RunRowReader(tmp_path)
    for num_read in (2, 4, 5, 5):
        assert [row.created for row in reader.read()[:-1]] == [5.0, 4.0, 3.0, 2.0, 1.0][:num_read]
        assert reader.has_read_all == (num_read == 5)
    assert reader.read()[-1].is_example
