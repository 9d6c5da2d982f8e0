"""What these tests do in the Runs view, and read from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from core.run_folder import list_runs
from gui.main_window import VIEWS, MainWindow
from gui.panels.runs.comparison import RunComparison
from gui.runs.rows import RunRow
from gui.views.runs import RunsView
from tests.gui.conftest import WAIT_MS

Wait = Callable[[str], None]


def show(window: MainWindow, qtbot: QtBot) -> RunsView:
    """Open the view as the rail does, and wait for its rows."""
    window.show_view(VIEWS.index(type(window.runs_view)))
    qtbot.waitUntil(lambda: bool(window.runs_view.table.rows), timeout=WAIT_MS)
    return window.runs_view


def row_of(view: RunsView, qtbot: QtBot, wanted: Callable[[RunRow], bool]) -> int:
    """Waits for a row of this kind; its number."""
    qtbot.waitUntil(lambda: any(map(wanted, view.table.rows)), timeout=WAIT_MS)
    return next(number for number, row in enumerate(view.table.rows) if wanted(row))


def text(view: RunsView, row: int) -> list[str]:
    return [view.table.item(row, column).text() for column in range(view.table.columnCount())]


def learn_to_the_end(window: MainWindow, qtbot: QtBot, steps: int = 6) -> Path:
    """A finished run of a few steps."""
    window.context.workbench.edit("training.max_steps", steps)
    window.context.workbench.learn()
    qtbot.waitUntil(lambda: window.context.bridge.state == "finished", timeout=WAIT_MS)
    return list_runs(window.context.place.path)[-1]


def names(view: RunsView) -> list[str]:
    return [row.path.name for row in view.table.rows]


def choose_both(view: RunsView, *folders: str) -> None:
    view.table.clearSelection()
    view.table.choose_all([row.path for row in view.table.rows if row.path.name in folders])


def num_shown(panel: RunComparison) -> int:
    return len(panel.comparison.runs) if panel.comparison is not None else 0
