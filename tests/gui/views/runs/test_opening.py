"""A run is opened from its row and continues where it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.run_folder import list_runs
from gui.main_window import VIEWS, MainWindow
from gui.runs.rows import example_path
from gui.views.runs import RunsView
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.views.runs.steps import Wait, learn_to_the_end, row_of, show, text
from tests.gui.waiting import wait_for


def test_the_example_opens_and_is_never_changed(empty_window: MainWindow, qtbot: QtBot) -> None:
    view, before = show(empty_window, qtbot), files_of(example_path())
    assert not view.continue_button.isEnabled() and "stays as it is" in view.continue_button.toolTip()
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    assert empty_window.pages.currentWidget() is empty_window.train_view
    qtbot.waitUntil(lambda: empty_window.context.playhead.live_step == 800, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: empty_window.context.bridge.state == "finished", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not empty_window.context.workbench.is_opening, timeout=WAIT_MS)
    assert not empty_window.transport.learn_button.isEnabled()
    assert "Reset" in empty_window.transport.learn_button.toolTip()
    empty_window.context.workbench.edit("training.max_grad_norm", 2.0)
    completed: list[object] = []
    empty_window.context.follow_sentence(not_none(empty_window.context.bridge.history.prepared).examples[0])
    empty_window.context.bridge.run_in_background(lambda: None, completed.append)
    qtbot.waitUntil(lambda: bool(completed), timeout=WAIT_MS)
    empty_window.context.workbench.prepare()
    qtbot.waitUntil(lambda: empty_window.context.bridge.state == "ready", timeout=WAIT_MS)
    assert empty_window.transport.learn_button.isEnabled()
    assert files_of(example_path()) == before
    assert not empty_window.trouble_strip.isVisible()


def files_of(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_a_finished_run_opens_translates_and_continues(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait, tmp_path: Path
) -> None:
    run = learn_to_the_end(window, qtbot)
    window.context.workbench.prepare()  # leaves the run
    wait_for_state("ready")
    view = show(window, qtbot)
    number = row_of(view, qtbot, lambda row: row.path == run)
    assert number == 0 and view.table.rows[-1].is_example and not view.empty_label.isVisible()
    assert text(view, 0)[3:5] == ["finished", "6"] and text(view, 0)[6] != "–"
    view.table.setCurrentCell(0, 0)
    qtbot.mouseClick(view.open_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.context.playhead.live_step == 6, timeout=WAIT_MS)
    assert window.pages.currentWidget() is window.train_view
    assert len(window.context.bridge.history.curve("train/loss")[0]) == 6
    window.show_view(VIEWS.index(type(window.translate_view)))
    window.translate_view.translate("1 2 3")
    qtbot.waitUntil(lambda: window.translate_view.typed.translation is not None, timeout=WAIT_MS)
    assert not_none(window.translate_view.typed.translation).step == 6
    show(window, qtbot)
    view.table.setCurrentCell(0, 0)
    qtbot.mouseClick(view.continue_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.context.bridge.history.last_step > 20, timeout=WAIT_MS)
    assert not_none(window.context.bridge.history.prepared).config.training.max_steps == 1006
    assert list_runs(tmp_path / "runs") == [run]


def test_a_stopped_run_continues_at_its_step(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait, tmp_path: Path
) -> None:
    window.context.workbench.learn(10)
    wait_for_state("paused")
    view = show(window, qtbot)
    row_of(view, qtbot, lambda row: row.state == "paused here" and row.step == 10)
    window.context.workbench.prepare()  # leaves the run
    wait_for_state("ready")
    view.table.setCurrentCell(row_of(view, qtbot, lambda row: row.state == "stopped"), 0)
    view.continue_chosen()
    wait_for_state("finished")
    assert window.context.bridge.history.last_step == 40
    assert len(list_runs(tmp_path / "runs")) == 1


def test_the_run_that_is_learning_is_shown_and_not_loaded_again(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait
) -> None:
    window.context.workbench.edit("training.max_steps", 100_000)
    window.context.workbench.set_pace(10)
    window.context.workbench.learn()
    wait_for_state("learning")
    view = show(window, qtbot)
    view.table.setCurrentCell(row_of(view, qtbot, lambda row: row.is_ours and bool(row.checkpoint_steps)), 0)
    states: list[str] = []
    window.context.bridge.state_changed.connect(lambda change: states.append(change.state))
    for act in (view.open_chosen, view.continue_chosen):
        before = window.context.bridge.history.last_step
        act()
        assert window.pages.currentWidget() is window.train_view
        wait_for(qtbot, lambda before: window.context.bridge.history.last_step > before, before)
        assert states == []
    window.context.workbench.toggle()
    wait_for_state("paused")
    view.continue_chosen()
    wait_for_state("learning")
    assert states == ["paused", "learning"]


@pytest.mark.parametrize("act", [RunsView.open_chosen, RunsView.continue_chosen])
def test_choosing_the_current_run_while_another_opens_keeps_it(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait, act: Callable[[RunsView], None]
) -> None:
    workbench = window.context.workbench
    workbench.learn(3)
    wait_for_state("paused")
    run, view = workbench.run, show(window, qtbot)
    view.table.setCurrentCell(row_of(view, qtbot, lambda row: row.is_ours and bool(row.checkpoint_steps)), 0)
    workbench.open_run(example_path())
    act(view)
    qtbot.waitUntil(lambda: not workbench.is_opening, timeout=WAIT_MS)
    assert workbench.run == run
    wait_for_state("paused" if act is RunsView.open_chosen else "finished")


def test_a_run_moved_while_this_window_writes_it_continues_where_it_is(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait
) -> None:
    workbench, bridge = window.context.workbench, window.context.bridge
    workbench.edit("training.max_steps", 100_000)  # so that it does not end before its row is read
    workbench.learn(3)
    wait_for_state("paused")
    run, view = workbench.run, show(window, qtbot)
    assert run is not None
    row_of(view, qtbot, lambda row: row.path == run and row.state == "paused here" and row.is_ours)
    moved = run.rename(run.with_name("moved"))
    view.refresh_button.click()
    row_of(view, qtbot, lambda row: row.path == moved and row.state == "interrupted" and not row.is_ours)
    view.table.select(moved)
    assert view.delete_button.isEnabled()
    qtbot.mouseClick(view.continue_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: workbench.run == moved and bridge.history.last_step > 3, timeout=WAIT_MS)
    show(window, qtbot)
    row_of(view, qtbot, lambda row: row.path == moved and row.is_ours)
