"""A run that is left is restored if what should replace it is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.engine import Engine
from core.notices.notice import Experiment
from core.requests import Learn, OpenRun
from core.run_folder import RunFolder
from core.settings.presets import read_preset
from gui.frame import status_bar
from gui.main_window import MainWindow
from gui.runs.rows import example_path
from tests.gui.bench.runs import ROOT, damage, damaged_run, reopened_run, wait_for_answers
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none


def test_a_run_left_for_a_damaged_one_is_restored_with_its_changes(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn(1)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    run = workbench.run
    workbench.edit("model.d_ff", 64)
    workbench.open_run(damaged_run(tmp_path / "runs" / "other"))
    qtbot.waitUntil(lambda: bool(window.trouble_strip.sentence.text()) and not workbench.is_opening, timeout=WAIT_MS)
    assert workbench.run == run and bridge.state == "paused" and "model.d_ff" in workbench.waiting_changes
    assert "damaged" in window.trouble_strip.sentence.text()
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.history.last_step == 2, timeout=WAIT_MS)


def test_a_restored_run_has_its_unsaved_changes(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    bridge, workbench, key = window.context.bridge, window.context.workbench, "training.optimizer.learning_rate"
    reopened_run(qtbot, window)
    workbench.edit("model.d_ff", 64)
    workbench.try_out(Experiment("a higher rate", key, 0.25))
    open_damaged_and_restore(qtbot, window, tmp_path)
    assert workbench.waiting_changes == ("model.d_ff",)
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.history.last_step == 4, timeout=WAIT_MS)
    assert not_none(bridge.history.prepared).config.training.optimizer.learning_rate == 0.25


@pytest.mark.parametrize("value", [None, {"patience": 5}])
def test_a_restored_run_has_a_group_switched_since_it_was_saved(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, value: dict[str, int] | None
) -> None:
    bridge, workbench, key = window.context.bridge, window.context.workbench, "training.early_stopping"
    workbench.edit(key, {"patience": 3} if value is None else None)
    reopened_run(qtbot, window)
    workbench.edit(key, value)
    qtbot.waitUntil(lambda: bool(bridge.history.settings_changed), timeout=WAIT_MS)
    open_damaged_and_restore(qtbot, window, tmp_path)
    assert not workbench.waiting_changes
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.history.last_step == 4, timeout=WAIT_MS)
    stopping = not_none(bridge.history.prepared).config.training.early_stopping
    assert (stopping and stopping.model_dump()) == value


def test_a_run_restored_after_more_steps_has_no_waiting_changes(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn()
    qtbot.waitUntil(lambda: bridge.state == "finished", timeout=WAIT_MS)
    workbench.toggle()
    qtbot.waitUntil(lambda: bridge.history.last_step > 40, timeout=WAIT_MS)
    workbench.toggle()
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    settings = workbench.draft
    open_damaged_and_restore(qtbot, window, tmp_path)
    assert bridge.state == "paused" and not workbench.waiting_changes and workbench.draft == settings
    assert not window.status_bar.message_label.isVisible()


def test_a_run_that_continued_elsewhere_before_it_is_restored_reports_its_step(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    run = reopened_run(qtbot, window)
    with Engine(cache_dir=tmp_path / "elsewhere") as other_engine:
        other_engine.ask(OpenRun(run=run)).result(timeout=100)
        other_engine.ask(Learn(steps=2)).result(timeout=100)
    open_damaged_and_restore(qtbot, window, tmp_path)
    assert window.context.bridge.history.last_step == 5
    assert window.status_bar.message_label.toolTip() == f"{run.name} was at step 3, and is at step 5 now"


def test_a_run_killed_between_checkpoints_reports_the_step_of_its_weights(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status_bar, "MESSAGE_MS", 1_000_000)  # so that it does not expire during the test
    workbench, bridge, label = window.context.workbench, window.context.bridge, window.status_bar.message_label
    workbench.apply_valid_edits({"training.checkpoint_every": 10})
    workbench.learn(25)
    qtbot.waitUntil(lambda: bridge.history.last_step == 25 and bridge.state == "paused", timeout=WAIT_MS)
    assert workbench.run is not None
    killed = shutil.copytree(workbench.run, tmp_path / "runs" / "killed")  # as after a power cut
    RunFolder.open(killed).update(pid=None)
    workbench.open_run(killed)
    qtbot.waitUntil(lambda: workbench.run == killed and not workbench.is_opening, timeout=WAIT_MS)
    continuation = "Learn continues from there; the curves reach step 25"
    assert label.toolTip() == f"Opened at the checkpoint of step 20: {continuation}"
    workbench.step(1)
    qtbot.waitUntil(lambda: bridge.history.last_step == 21, timeout=WAIT_MS)
    assert label.isHidden() and not window.status_bar.device_label.isHidden()


def test_a_message_about_a_run_ends_with_it_and_one_about_a_file_does_not(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status_bar, "MESSAGE_MS", 1_000_000)  # so that it does not expire during the test
    workbench, label = window.context.workbench, window.status_bar.message_label
    run = reopened_run(qtbot, window)
    with Engine(cache_dir=tmp_path / "elsewhere") as other_engine:
        other_engine.ask(OpenRun(run=run)).result(timeout=100)
        other_engine.ask(Learn(steps=2)).result(timeout=100)
    open_damaged_and_restore(qtbot, window, tmp_path)
    assert not label.isHidden()
    workbench.open_run(example_path())
    qtbot.waitUntil(lambda: workbench.run == example_path() and not workbench.is_opening, timeout=WAIT_MS)
    assert label.isHidden() and not window.status_bar.device_label.isHidden()
    window.context.bridge.message.emit("Saved as a.yaml")
    workbench.open_run(run)
    qtbot.waitUntil(lambda: workbench.run == run and not workbench.is_opening, timeout=WAIT_MS)
    assert not label.isHidden()


def open_damaged_and_restore(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    """Open a damaged run, which restores the current one."""
    workbench = window.context.workbench
    run = workbench.run
    workbench.open_run(damaged_run(tmp_path / "runs" / "other"))
    qtbot.waitUntil(lambda: bool(window.trouble_strip.sentence.text()) and not workbench.is_opening, timeout=WAIT_MS)
    wait_for_answers(qtbot, window)
    assert workbench.run == run


def test_a_current_run_that_gets_damaged_leaves_its_settings(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    run = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    workbench.open_run(run)
    qtbot.waitUntil(lambda: workbench.run == run and not workbench.is_opening, timeout=WAIT_MS)
    settings = workbench.draft
    damage(run)
    workbench.open_run(run)
    qtbot.waitUntil(lambda: workbench.run is None and bridge.state == "ready", timeout=WAIT_MS)
    assert workbench.draft == settings


def test_another_preset_still_waits_after_a_run_is_restored(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    workbench = window.context.workbench
    workbench.learn(1)
    qtbot.waitUntil(lambda: workbench.run is not None and window.context.bridge.state == "paused", timeout=WAIT_MS)
    window.setup_drawer.choose_preset("copy_task")
    workbench.open_run(damaged_run(tmp_path / "runs" / "other"))
    qtbot.waitUntil(lambda: bool(window.trouble_strip.sentence.text()) and not workbench.is_opening, timeout=WAIT_MS)
    assert workbench.is_other_config_waiting and workbench.draft == read_preset("copy_task")
    assert window.setup_drawer.preset_combo.currentText() == "copy_task"
