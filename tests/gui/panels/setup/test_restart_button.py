"""The button that restarts names the changes that wait for a new run."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from tests.gui.conftest import WAIT_MS
from tests.gui.legible import cut_texts
from tests.gui.not_none import not_none


def filled_buttons(window: MainWindow) -> list[str]:
    """The texts of the visible filled buttons."""
    buttons = [one for one in window.findChildren(QPushButton) if one.isVisible()]
    return [one.text() for one in buttons if one.property("role") == "filled"]


def pixel(window: MainWindow, one: QPushButton) -> str:
    """The background colour of a button, left of its text."""
    window.repaint()
    return one.grab().toImage().pixelColor(6, one.height() // 2).name()


def test_a_preset_is_named_and_its_button_is_the_filled_one(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    drawer, workbench, learn = window.setup_drawer, window.context.workbench, window.transport.learn_button
    workbench.learn(1)
    wait_for_state("paused")
    first, blue = workbench.run, window.context.theme.colours.training
    window.rail.setup_button.click()
    assert filled_buttons(window) == ["Learn"] and pixel(window, learn) == blue
    drawer.choose_preset("copy_task")
    assert filled_buttons(window) == [drawer.restart_button.text()] == ["Restart as copy_task"]
    assert pixel(window, learn) != blue and pixel(window, drawer.restart_button) == blue
    workbench.edit("model.d_ff", 24)
    assert drawer.restart_button.accessibleName() == "Restart as copy_task, 1 change"
    origin = not_none(workbench.draft_origin)
    workbench.replace_draft(origin.model_copy(update={"name": "R&D"}))
    assert drawer.restart_button.text() == "Restart as R&&D"  # a single & would underline a letter
    assert drawer.restart_button.accessibleName() == "Restart as R&D"
    workbench.replace_draft(origin.model_copy(update={"name": "as long as a name may be " * 4}))
    workbench.edit("model.d_ff", 24)
    qtbot.waitUntil(lambda: not cut_texts(not_none(drawer.restart_button.parentWidget())), timeout=WAIT_MS)
    assert drawer.restart_button.text().startswith("Restart as as long")
    assert drawer.restart_button.text().endswith(", 1 change")
    workbench.replace_draft(origin)
    workbench.edit("model.d_ff", 24)
    window.rail.setup_button.click()
    assert filled_buttons(window) == ["Learn"] and pixel(window, learn) == blue  # in a closed drawer it is not filled
    window.rail.setup_button.click()
    qtbot.mouseClick(drawer.restart_button, Qt.MouseButton.LeftButton)
    assert filled_buttons(window) == ["Pause"] or filled_buttons(window) == ["Learn"]
    qtbot.waitUntil(lambda: workbench.run not in (None, first), timeout=WAIT_MS)
    assert workbench.applied is not None and (workbench.applied.name, workbench.applied.model.d_ff) == ("copy_task", 24)


def test_single_fields_are_counted(window: MainWindow, wait_for_state: Callable[[str], None]) -> None:
    button, workbench = window.setup_drawer.restart_button, window.context.workbench
    workbench.learn(1)
    wait_for_state("paused")
    workbench.edit("model.d_ff", 24)
    assert button.text() == "Restart with 1 change" and "model.d_ff" in button.toolTip()
    workbench.edit("model.dropout", 0.0)
    assert button.text() == "Restart with 2 changes"
    workbench.replace_draft(not_none(workbench.applied))
    assert not button.isVisibleTo(window.setup_drawer)
    workbench.edit("model.d_ff", 24)
    assert button.text() == "Restart with 1 change"  # compared with the run's own settings


def test_an_opened_run_discards_waiting_changes(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    button, workbench = window.setup_drawer.restart_button, window.context.workbench
    workbench.learn(1)
    wait_for_state("paused")
    run = not_none(workbench.run)
    window.setup_drawer.choose_preset("copy_task")
    workbench.finish()
    wait_for_state("finished")
    workbench.open_run(run)
    qtbot.waitUntil(lambda: not workbench.waiting_changes, timeout=WAIT_MS)
    workbench.edit("model.d_ff", 24)
    assert button.text() == "Restart with 1 change"


def test_after_a_restart_by_keyboard_space_pauses(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    button, workbench = window.setup_drawer.restart_button, window.context.workbench
    workbench.learn(1)
    wait_for_state("paused")
    first = workbench.run
    window.activateWindow()
    window.rail.setup_button.click()
    workbench.edit("model.d_ff", 24)
    button.setFocus()
    qtbot.waitUntil(button.hasFocus, timeout=WAIT_MS)
    qtbot.keyClick(button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: workbench.run not in (None, first) and button.isHidden(), timeout=WAIT_MS)
    assert window.focusWidget() is window


def test_a_closed_setup_points_to_the_changes_that_wait_in_it(
    window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    """Learn closes it, and goes on without them."""
    setup, workbench = window.rail.setup_button, window.context.workbench
    workbench.edit("model.d_ff", 32)
    wait_for_state("ready")
    assert not setup.has_dot  # the run that begins next has it
    workbench.learn(1)
    wait_for_state("paused")
    workbench.edit("training.optimizer.learning_rate", 0.5)
    assert not setup.has_dot  # it acts on this run
    setup.click()
    workbench.edit("model.d_ff", 24)
    assert not setup.has_dot and window.setup_drawer.restart_button.isVisible()
    workbench.learn(1)
    assert setup.has_dot and setup.toolTip().endswith(" · “Restart with 1 change” waits there")
    assert setup.accessibleDescription() == "“Restart with 1 change” waits there"
    wait_for_state("paused")
    workbench.edit("model.d_ff", 32)
    assert not setup.has_dot
