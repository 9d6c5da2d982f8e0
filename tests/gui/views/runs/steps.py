"""What these tests do in the Runs view and read from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVarTuple

from pytestqt.qtbot import QtBot

from core.run_folder import list_runs
from gui.main_window import VIEWS, MainWindow
from gui.panels.runs.comparison_panel import ComparisonPanel
from gui.panels.runs.run_comparison import RunComparison
from gui.runs.comparison import Comparison
from gui.runs.rows import RunRow
from gui.views.runs import RunsView
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.tables import row_texts
from tests.gui.waiting import wait_for

Wait = Callable[[str], None]
Things = TypeVarTuple("Things")


def show(window: MainWindow, qtbot: QtBot) -> RunsView:
    """Open the view and wait for its rows."""
    window.show_view(VIEWS.index(type(window.runs_view)))
    qtbot.waitUntil(lambda: bool(window.runs_view.table.rows), timeout=WAIT_MS)
    return window.runs_view


def row_of(view: RunsView, qtbot: QtBot, wanted: Callable[[RunRow, *Things], bool], *things: *Things) -> int:
    """Wait for a row that is `wanted`, which is called with `things` as in `wait_for`; return the row's number."""
    wait_for(qtbot, lambda: any(wanted(row, *things) for row in view.table.rows))
    return next(number for number, row in enumerate(view.table.rows) if wanted(row, *things))


def text(view: RunsView, row: int) -> list[str]:
    return row_texts(view.table, row)


def learn_to_the_end(window: MainWindow, qtbot: QtBot, steps: int = 6) -> Path:
    """Train a run of a few steps to its end; return its path."""
    window.context.workbench.edit("training.max_steps", steps)
    window.context.workbench.learn()
    qtbot.waitUntil(lambda: window.context.bridge.state == "finished", timeout=WAIT_MS)
    return list_runs(window.context.runs_directory.path)[-1]


def names(view: RunsView) -> list[str]:
    return [row.path.name for row in view.table.rows]


def choose_both(view: RunsView, *folders: str) -> None:
    view.table.clearSelection()
    view.table.select_rows([row.path for row in view.table.rows if row.path.name in folders])


def compared(panel: ComparisonPanel) -> Comparison:
    return not_none(panel.comparison)


def num_shown(panel: RunComparison) -> int:
    return len(panel.comparison.runs) if panel.comparison is not None else 0
