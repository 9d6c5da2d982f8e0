"""The title of the window, and the status bar, name the shown run."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.main_window import VIEWS, MainWindow
from gui.runs.rows import example_path
from gui.views.runs import RunsView
from tests.gui.conftest import WAIT_MS

Wait = Callable[[str], None]


def test_the_title_names_the_shown_run(qtbot: QtBot, window: MainWindow, wait_for_state: Wait) -> None:
    assert window.windowTitle() == "Headlight"
    window.context.workbench.open_run(example_path())
    qtbot.waitUntil(lambda: window.windowTitle() == "Example run · Headlight", timeout=WAIT_MS)
    name = window.status_bar.run_label  # for a window without a title bar, as in full screen
    assert name.text() == "Example run" and name.isVisible()
    window.context.workbench.reset()
    qtbot.waitUntil(lambda: window.windowTitle() == "Headlight", timeout=WAIT_MS)
    assert not name.isVisible()
    wait_for_state("ready")
    window.context.workbench.learn(1)
    wait_for_state("paused")
    assert window.windowTitle() == "toy_german_english · Headlight"
    view, run = window.runs_view, window.context.workbench.run
    window.show_view(VIEWS.index(RunsView))
    qtbot.waitUntil(lambda: len(view.table.rows) == 2, timeout=WAIT_MS)
    view.table.select(run)
    view.details.edit_name()
    qtbot.keyClicks(view.details.name_edit, "my first")
    qtbot.keyClick(view.details.name_edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.windowTitle() == "my first · Headlight", timeout=WAIT_MS)
    assert name.text() == "my first"
