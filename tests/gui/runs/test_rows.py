"""What the table of runs says of one."""

from __future__ import annotations

from pathlib import Path

from core.config import RunConfig
from core.run_folder import RunFolder
from core.run_summary import summarise
from gui.runs.rows import state_in_words


def test_what_broke_a_run_off_is_said_whether_or_not_it_can_go_on(tmp_path: Path) -> None:
    run = RunFolder.create_at(tmp_path / "run")
    run.write_config(RunConfig.model_validate({"dataset": {"plugin": "copy_task"}}))
    run.update(state="paused", reason="disk", pid=2**22 + 1)  # beyond the largest process number of Linux
    assert state_in_words(summarise(run)) == "interrupted: the disk could not be written"
    run.release("stopped", "plugin")
    assert state_in_words(summarise(run)) == "stopped: a plugin failed"
    run.release("stopped", "stopped")
    assert state_in_words(summarise(run)) == "stopped"
