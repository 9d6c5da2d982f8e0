"""Which run is current, and in which folder, after one is left, moved or continued elsewhere."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from core.engine import Engine
from core.events import CheckpointSaved
from core.requests import Learn, OpenRun
from core.run_folder import RunFolder, list_runs
from gui.main_window import MainWindow
from tests.gui.bench.runs import ROOT, reopened_run, unsaveable_run, wait_for_answers
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none


def test_a_run_whose_folder_was_removed_can_be_left(qtbot: QtBot, window: MainWindow) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn(3)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    assert workbench.run is not None
    shutil.rmtree(workbench.run)
    window.transport.reset_button.click()
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    assert "is gone" in window.trouble_strip.sentence.text()
    workbench.learn(3)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)


def test_an_opened_run_whose_folder_was_removed_says_so_at_learn(qtbot: QtBot, window: MainWindow) -> None:
    run = reopened_run(qtbot, window)
    shutil.rmtree(run)
    window.context.workbench.learn(1)
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None, timeout=WAIT_MS)
    assert window.trouble_strip.sentence.text() == f"The run's folder {run} is gone."
    assert window.trouble_strip.advice.text().startswith("Put it back")
    assert_reset_makes_it_outdated(qtbot, window)


def test_a_run_whose_folder_another_has_taken_can_be_left(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn(3)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    assert workbench.run is not None
    other = put_in_place_of(workbench.run)
    window.transport.reset_button.click()
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    assert "is gone" in window.trouble_strip.sentence.text()
    assert RunFolder.open(other).checkpoint_steps() == [30, 40]


def test_an_opened_run_whose_folder_another_has_taken_says_so_at_learn(qtbot: QtBot, window: MainWindow) -> None:
    run = put_in_place_of(reopened_run(qtbot, window))
    window.context.workbench.learn(1)
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None, timeout=WAIT_MS)
    assert window.trouble_strip.sentence.text() == f"Another run has taken the place of {run}."
    assert RunFolder.open(run).checkpoint_steps() == [30, 40]
    assert_reset_makes_it_outdated(qtbot, window)


def test_a_branch_can_take_over_that_a_group_is_switched_off(
    qtbot: QtBot, window: MainWindow, small_file: Path
) -> None:
    workbench, bridge = window.context.workbench, window.context.bridge
    workbench.edit("training.early_stopping", {"patience": 3})
    workbench.learn(5)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    before = workbench.run
    window.setup_drawer.open_file(small_file)  # which has no early stopping
    assert workbench.waiting_changes == ("training.early_stopping.patience",)
    window.context.playhead.view(3)
    window.transport.branch_button.click()
    qtbot.waitUntil(lambda: not workbench.is_opening, timeout=WAIT_MS)
    assert window.trouble_strip.trouble is None or window.trouble_strip.trouble.is_note
    assert workbench.run not in (None, before) and not_none(workbench.applied).training.early_stopping is None


def assert_reset_makes_it_outdated(qtbot: QtBot, window: MainWindow) -> None:
    """Require that the strip says nothing of the run any more once it has been left."""
    window.transport.reset_button.click()
    qtbot.waitUntil(lambda: window.context.bridge.state == "ready", timeout=WAIT_MS)
    assert window.trouble_strip.trouble is None


def put_in_place_of(run: Path) -> Path:
    """Move a run away, and copy another into its place; return its path."""
    run.rename(run.parent / "aside")
    return shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", run)


def test_a_run_that_cannot_be_saved_survives_two_resets_and_can_be_moved(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench = window.context.workbench
    run = unsaveable_run(qtbot, window)
    workbench.reset()
    workbench.reset()
    wait_for_answers(qtbot, window)
    assert workbench.run == run and window.context.bridge.state == "paused"
    workbench.change_runs_dir(tmp_path / "elsewhere", run)
    qtbot.waitUntil(lambda: workbench.run != run, timeout=WAIT_MS)
    assert RunFolder.open(list_runs(tmp_path / "elsewhere")[0]).checkpoint_step("last") == 3


@pytest.mark.parametrize("comes_in_dialog", [False, True])
def test_only_the_run_that_could_not_be_written_is_moved(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, comes_in_dialog: bool
) -> None:
    workbench, new_folder = window.context.workbench, tmp_path / "elsewhere"
    other = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    run = reopened_run(qtbot, window)

    def choose(*_: object) -> str:
        if comes_in_dialog:
            qtbot.waitUntil(lambda: workbench.run == other and not workbench.is_opening, timeout=WAIT_MS)
        return str(new_folder)

    monkeypatch.setattr(QFileDialog, "getExistingDirectory", choose)
    workbench.open_run(other)
    window.trouble_strip.offer_accepted.emit("another_folder")
    qtbot.waitUntil(lambda: workbench.run == other and not workbench.is_opening, timeout=WAIT_MS)
    wait_for_answers(qtbot, window)
    assert workbench.run == other and not list_runs(new_folder) and window.context.runs_directory.path == new_folder
    assert window.trouble_strip.sentence.text() == f"{run.name} was not moved: another run was opened meanwhile."


def test_a_run_left_while_it_is_moved_does_not_become_current_again(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench, new_folder = window.context.bridge, window.context.workbench, tmp_path / "elsewhere"
    current_runs = list[Path | None]()
    workbench.learn(3)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    workbench.change_runs_dir(new_folder, workbench.run)
    workbench.reset()
    workbench.changed.connect(lambda: current_runs.append(workbench.run))
    wait_for_answers(qtbot, window)
    assert len(list_runs(new_folder)) == 1 and current_runs and not any(current_runs)


def test_a_run_moved_twice_stays_current_in_its_last_folder(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn(3)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    run = workbench.run
    for name in ("elsewhere", "there"):  # before the window knows of the first move
        workbench.change_runs_dir(tmp_path / name, run)
    wait_for_answers(qtbot, window)
    assert [workbench.run] == list_runs(tmp_path / "there")


def test_a_moved_run_that_cannot_be_left_stays_current_in_its_new_folder(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench, new_folder = window.context.bridge, window.context.workbench, tmp_path / "elsewhere"
    sentences, run = list[str](), unsaveable_run(qtbot, window)
    bridge.trouble.connect(lambda trouble: sentences.append(trouble.sentence))
    bridge.engine.add_listener(block_saving_in(new_folder))
    workbench.change_runs_dir(new_folder, run)
    workbench.reset()
    wait_for_answers(qtbot, window)
    assert any("cannot be written" in sentence for sentence in sentences) and bridge.state == "paused"
    assert [workbench.run] == list_runs(new_folder)
    workbench.change_runs_dir(tmp_path / "there", workbench.run)
    qtbot.waitUntil(lambda: [workbench.run] == list_runs(tmp_path / "there"), timeout=WAIT_MS)


def block_saving_in(folder: Path) -> Callable[[object], None]:
    """Return a listener that replaces the checkpoints folder there by a file after the first checkpoint."""

    def put(event: object) -> None:
        if isinstance(event, CheckpointSaved) and list_runs(folder):
            checkpoints = list_runs(folder)[0] / "checkpoints"
            shutil.rmtree(checkpoints)
            checkpoints.write_text("a file where the folder should be", encoding="utf-8")

    return put


def test_an_opened_run_that_continued_elsewhere_has_to_be_opened_again(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench, strip, run = window.context.workbench, window.trouble_strip, reopened_run(qtbot, window)
    with Engine(cache_dir=tmp_path / "elsewhere") as other_engine:
        other_engine.ask(OpenRun(run=run)).result(timeout=30)
        other_engine.ask(Learn(steps=2)).result(timeout=30)
    workbench.learn(1)
    qtbot.waitUntil(lambda: strip.trouble is not None, timeout=WAIT_MS)
    assert strip.sentence.text().startswith("This is the run at step 3; its last checkpoint is of step 5 by now")
    assert "Open the run again" in strip.advice.text()
    strip.dismiss()
    workbench.open_run(run)
    qtbot.waitUntil(lambda: workbench.run == run and not workbench.is_opening, timeout=WAIT_MS)
    workbench.learn(1)
    qtbot.waitUntil(lambda: window.context.bridge.history.last_step == 6, timeout=WAIT_MS)


def test_opening_a_run_that_another_process_writes_names_the_process(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench, label = window.context.workbench, window.status_bar.message_label
    run = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    RunFolder.open(run).update(state="learning", pid=os.getppid(), host=socket.gethostname(), pid_started=None)
    workbench.open_run(run)
    qtbot.waitUntil(lambda: workbench.run == run and not workbench.is_opening, timeout=WAIT_MS)
    assert label.toolTip().endswith(
        f"process {os.getppid()} writes this run; once that has ended, open it again to learn here"
    )
