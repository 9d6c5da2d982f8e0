"""A new run continues from a kept step of another one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from core.run_folder import RunFolder, RunLabel, list_runs
from gui.main_window import MainWindow
from gui.runs.disabled_reasons import why_not_follow, why_not_open
from gui.views.runs import RunsView
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.views.runs.steps import Wait, learn_to_the_end, row_of, show
from tests.gui.waiting import wait_for


def test_the_newest_kept_step_of_each_run_is_offered(three_runs: RunsView) -> None:
    details, (one, *_, other) = three_runs.details, (replace(row, checkpoint_steps=()) for row in three_runs.table.rows)
    details.show_row(replace(one, snapshot_steps=(100, 800)))
    details.show_row(replace(one, snapshot_steps=(100, 800, 900)))  # it has learned on
    assert details.step_combo.currentData() == 900
    details.step_combo.setCurrentIndex(details.step_combo.findData(800))
    details.show_row(replace(one, snapshot_steps=(100, 800, 900, 1000)))
    assert details.step_combo.currentData() == 800  # the step that the user chose
    details.show_row(replace(other, snapshot_steps=(800, 5000)))
    assert details.step_combo.currentData() == 5000


def test_without_a_kept_step_there_is_a_reason_instead(three_runs: RunsView) -> None:
    details = three_runs.details
    deleted = replace(three_runs.table.rows[0], checkpoint_steps=(), snapshot_steps=())  # by hand, to save room
    details.show_row(deleted)
    assert not details.step_combo.isEnabled() and details.step_combo.toolTip() == "This run has kept no weights"
    assert why_not_open(deleted) == "This run has no checkpoint: there are no weights to load"
    assert why_not_follow(deleted, "paused") == "No process writes this run now"
    details.show_row(None)
    assert details.step_combo.toolTip() == "Choose a run in the table first"


def test_selecting_a_run_selects_only_it_even_while_ctrl_is_held(three_runs: RunsView, qtbot: QtBot) -> None:
    """As while Ctrl+6 opens the view; Delete would take every selected run."""
    other = three_runs.table.rows[-1].path
    assert not_none(three_runs.table.selected_row).path != other
    qtbot.keyPress(three_runs.table, Qt.Key.Key_Control, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.ControlModifier
    three_runs.table.select(other)
    qtbot.keyRelease(three_runs.table, Qt.Key.Key_Control)
    assert [row.path for row in three_runs.table.selected_rows] == [other]


def test_a_run_continues_from_a_kept_step_in_a_new_one(window: MainWindow, qtbot: QtBot, wait_for_state: Wait) -> None:
    run = learn_to_the_end(window, qtbot)
    view = show(window, qtbot)
    view.table.setCurrentCell(row_of(view, qtbot, lambda row: row.path == run and 3 in row.snapshot_steps), 0)
    details = view.details
    details.step_combo.setCurrentIndex(details.step_combo.findData(3))
    assert details.step_combo.currentText() == "step 3, weights only"
    qtbot.mouseClick(details.branch_button, Qt.MouseButton.LeftButton)
    assert window.pages.currentWidget() is window.train_view
    wait_for_state("paused")
    qtbot.waitUntil(window.setup_drawer.isVisible, timeout=WAIT_MS)
    assert "start afresh" in window.trouble_strip.sentence.text()
    # A note, not an error.
    assert window.trouble_strip.property("role") == "note" and window.trouble_strip.sentence.property("role") == ""
    assert window.context.playhead.live_step == 3 and window.context.workbench.run != run
    show(window, qtbot)
    number = row_of(view, qtbot, lambda row: row.parent == run.name)
    view.table.setCurrentCell(number, 0)
    assert f"Continues {run.name} from step 3" in details.about_label.text()
    window.context.workbench.open_run(run)
    qtbot.waitUntil(lambda: window.context.workbench.run == run, timeout=WAIT_MS)
    qtbot.waitUntil(window.trouble_strip.isHidden, timeout=WAIT_MS)  # the note was about the other run


def test_a_branch_continues_with_one_change_and_no_empty_run_remains(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait, tmp_path: Path, trash: Path
) -> None:
    run = learn_to_the_end(window, qtbot)
    view, workbench, drawer = show(window, qtbot), window.context.workbench, window.setup_drawer
    view.table.setCurrentCell(row_of(view, qtbot, lambda row: row.path == run and 3 in row.snapshot_steps), 0)
    view.details.step_combo.setCurrentIndex(view.details.step_combo.findData(3))
    qtbot.mouseClick(view.details.branch_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: drawer.isVisible() and workbench.run not in (None, run), timeout=WAIT_MS)
    wait_for_state("paused")
    branch = not_none(workbench.run)
    RunFolder.open(branch).write_label(RunLabel(name="much dropout"))
    workbench.edit("training.optimizer.learning_rate", 0.0007)  # applies to the branch, which has taken no step
    qtbot.waitUntil(lambda: not_none(workbench.applied).training.optimizer.learning_rate == 0.0007, timeout=WAIT_MS)
    drawer.forms.form("model").edited.emit("model.dropout", 0.5)
    assert drawer.restart_button.text() == "Continue from 3 with 1 change"
    assert not window.transport.branch_button.isVisible() and "model.dropout" in drawer.restart_button.toolTip()
    qtbot.mouseClick(drawer.restart_button, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(window.transport.learn_button, Qt.MouseButton.LeftButton)  # ignored: the restart is requested
    qtbot.waitUntil(lambda: workbench.run not in (None, run, branch), timeout=WAIT_MS)
    wait_for_state("finished")
    wait_for(qtbot, lambda: sorted(list_runs(tmp_path / "runs")) == sorted([run, not_none(workbench.run)]))
    assert [path.name for path in trash.iterdir()] == [branch.name]
    changed = RunFolder.open(not_none(workbench.run))
    assert changed.config().model.dropout == 0.5 and changed.label().name == "much dropout"
    assert changed.latest_config().training.optimizer.learning_rate == 0.0007
    assert (changed.state.parent, changed.state.parent_step) == (run.name, 3)
    beginning = changed.checkpoint(3).model
    for name, array in RunFolder.open(run).read_snapshot(3).items():
        np.testing.assert_array_equal(beginning[name], array)
    assert changed.last_trained_step() == 6 and window.trouble_strip.trouble is None
    ticks, plot = window.train_view.curves.ticks, window.train_view.curves.loss
    for change in ("model.dropout set to 0.5", "training.optimizer.learning_rate set to 0.0007"):
        wait_for(qtbot, lambda change: f"step 3: {change}" in ticks.accessibleDescription(), change)
    assert "dropout 0.5" in [line.label.toPlainText() for line in plot._changes]


def test_a_branch_can_only_continue_with_settings_that_fit_its_weights(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait
) -> None:
    run, workbench = learn_to_the_end(window, qtbot), window.context.workbench
    workbench.branch(run, 3)
    qtbot.waitUntil(lambda: workbench.run not in (None, run), timeout=WAIT_MS)
    wait_for_state("paused")
    branch, button, setup = workbench.run, window.setup_drawer.restart_button, window.rail.setup_button
    setup.setChecked(False)
    workbench.edit("model.dropout", 0.5)
    for key, other, learnt_with in (("num_heads", 4, 2), ("activation", "gelu", "relu"), ("d_ff", 24, 16)):
        workbench.edit(f"model.{key}", other)
        assert button.text() == "Restart with 2 changes" and setup.has_dot
        workbench.edit(f"model.{key}", learnt_with)
        assert button.text() == "Continue from 3 with 1 change" and not setup.has_dot  # Learn takes it over
    workbench.edit("model.d_ff", 24)
    workbench.learn(1)
    qtbot.waitUntil(lambda: window.context.playhead.live_step == 4, timeout=WAIT_MS)
    wait_for_state("paused")
    assert workbench.run == branch
    workbench.edit("model.d_ff", 16)
    assert button.text() == "Restart with 1 change"  # now it has a step of its own
