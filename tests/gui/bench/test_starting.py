"""A run begins only once, and a run that could not begin can be begun later."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.requests import LocateData
from core.run_folder import RunFolder, list_runs
from core.settings.presets import read_preset
from gui.main_window import MainWindow
from gui.runs.rows import example_path
from tests.gui.bench.runs import running_timers, unsaveable_run, wait_for_answers
from tests.gui.conftest import WAIT_MS


def test_learn_clicked_twice_begins_one_run(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.transport.pace_slider.setValue(0)
    for _ in range(2):  # before the engine reports that it began
        qtbot.mouseClick(window.transport.learn_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.context.bridge.history.last_step >= 1, timeout=WAIT_MS)
    assert len(list_runs(tmp_path / "runs")) == 1
    assert window.trouble_strip.trouble is None


def test_a_run_that_cannot_begin_can_be_begun_later(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    blocking_file = tmp_path / "runs"
    blocking_file.write_text("a file where the folder should be", encoding="utf-8")
    window.transport.learn_button.click()
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None, timeout=WAIT_MS)
    assert "cannot be written" in window.trouble_strip.sentence.text()
    blocking_file.unlink()
    window.transport.learn_button.click()
    qtbot.waitUntil(lambda: window.context.bridge.state == "finished", timeout=WAIT_MS)


def test_another_folder_is_not_offered_for_a_run_opened_later(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file where the folder should be", encoding="utf-8")
    window.transport.learn_button.click()
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None, timeout=WAIT_MS)
    assert window.trouble_strip.offer_button.text() == "Choose another folder …"
    window.context.workbench.open_run(example_path())
    qtbot.waitUntil(lambda: window.context.workbench.run == example_path(), timeout=WAIT_MS)
    assert window.trouble_strip.trouble is None


def test_reset_cancels_a_pending_learn(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.restart()
    workbench.reset(3)
    qtbot.waitUntil(lambda: workbench.resolved is not None and workbench.resolved.config.seed == 3, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    assert bridge.history.last_step == 0 and not list_runs(tmp_path / "runs")
    workbench.learn(2)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    assert window.trouble_strip.trouble is None and workbench.run == list_runs(tmp_path / "runs")[-1]


def test_a_preset_chosen_before_a_run_has_begun_waits_for_the_next(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench, drawer = window.context.bridge, window.context.workbench, window.setup_drawer
    workbench.restart()
    drawer.choose_preset("copy_task")
    assert running_timers(workbench) == [] and workbench.draft == read_preset("copy_task")
    assert drawer.restart_button.text() == "Restart as copy_task"
    qtbot.waitUntil(lambda: bridge.state == "finished", timeout=WAIT_MS)
    assert workbench.applied is not None and workbench.applied.model.d_model == 16
    assert len(list_runs(tmp_path / "runs")) == 1 and drawer.restart_button.text() == "Restart as copy_task"


def test_restart_cancels_a_pending_run_and_begins_with_the_preset(qtbot: QtBot, window: MainWindow) -> None:
    workbench, drawer = window.context.workbench, window.setup_drawer
    workbench.restart()
    drawer.choose_preset("copy_task")
    drawer.restart_button.click()
    qtbot.waitUntil(lambda: workbench.run is not None, timeout=WAIT_MS)
    assert workbench.run is not None and workbench.draft is not None
    assert RunFolder.open(workbench.run).config().model == workbench.draft.model == read_preset("copy_task").model


def test_after_a_loss_that_is_not_finite_another_run_can_begin(
    qtbot: QtBot, empty_window: MainWindow, small_file: Path
) -> None:
    diverging = "training: {optimizer: {name: sgd, learning_rate: 100.0, momentum: 0.9}, schedule: {name: constant, "
    diverging += "warmup_steps: 0}, max_grad_norm: null, "
    text = small_file.read_text(encoding="utf-8")
    small_file.write_text(text.replace("training: {", diverging), encoding="utf-8")
    window, bridge = empty_window, empty_window.context.bridge
    window.setup_drawer.open_file(small_file)
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    window.transport.learn_button.click()
    qtbot.waitUntil(lambda: bridge.state == "failed", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None, timeout=WAIT_MS)
    assert "diverged" in window.trouble_strip.sentence.text()
    assert window.transport.state_label.accessibleName().startswith("✗ failed · step")  # the word for it in Runs
    assert "Reset" in window.transport.learn_button.toolTip()
    window.transport.reset_button.click()
    window.context.workbench.continue_at_lower_rate()  # its button stays until the engine is preparing
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    assert window.transport.learn_button.isEnabled()
    assert window.trouble_strip.trouble is None  # its offer was about the run that was left


def test_a_restart_that_cannot_save_the_run_reports_only_why(qtbot: QtBot, window: MainWindow) -> None:
    workbench = window.context.workbench
    sentences: list[str] = []
    window.context.bridge.trouble.connect(lambda trouble: sentences.append(trouble.sentence))
    run = unsaveable_run(qtbot, window)
    workbench.edit("model.d_ff", 24)
    workbench.restart()
    wait_for_answers(qtbot, window)
    assert workbench.run == run and len(sentences) == 1 and "cannot be written" in sentences[0]


def test_a_run_that_had_begun_when_a_reset_was_refused_is_current(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn(2)
    bridge.engine.ask(LocateData()).result(timeout=30)  # it has begun, but the window has not processed the event
    [run] = list_runs(tmp_path / "runs")
    shutil.rmtree(run / "checkpoints")
    (run / "checkpoints").write_text("a file where the folder should be", encoding="utf-8")
    workbench.reset()
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None, timeout=WAIT_MS)
    wait_for_answers(qtbot, window)
    assert workbench.run == run
    (run / "checkpoints").unlink()
    (run / "checkpoints").mkdir()
    window.trouble_strip.dismiss()
    workbench.learn(2)
    qtbot.waitUntil(lambda: bridge.history.last_step == 2, timeout=WAIT_MS)
    assert list_runs(tmp_path / "runs") == [run]
