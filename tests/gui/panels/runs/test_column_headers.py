"""The headings of tables of compared runs are aligned with their columns and reach the edge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QTableWidget, QWidget

from core.events import ValidatedSentence
from core.history import History
from gui.panels.runs.run_comparison import RunComparison
from gui.panels.runs.run_translations import RunTranslations
from gui.runs.comparison import ComparedRun, Comparison
from gui.theme import Theme

SENTENCE = ValidatedSentence(
    source="Haus", reference="House", hypothesis="House", tokens=("House",), probability=(1.0,), rank=(0,)
)
CURVE = np.arange(1.0, 9.0), np.ones(8)
RUNS = tuple(ComparedRun(letter, "run", CURVE, CURVE, None, 800, (SENTENCE,)) for letter in "AB")
COMPARISON = Comparison(RUNS, (), (("", "A  run", "B  run"), ("state", "finished", "paused")))


def inset(picture: QImage, area: QRect) -> int:
    """The number of pixels between the left edge of an area and what is drawn in it."""
    background = picture.pixel(area.left() + 1, area.center().y())
    columns = range(area.left() + 1, area.right())
    return next(
        x for x in columns if any(picture.pixel(x, y) != background for y in range(area.top() + 4, area.bottom() - 4))
    )


def insets(table: QTableWidget, column: int) -> tuple[int, int]:
    """The insets of a heading and of the cell below it."""
    header, left = table.horizontalHeader(), table.columnViewportPosition(column)
    head = QRect(left, 0, table.columnWidth(column), header.height())
    cell = QRect(left, table.rowViewportPosition(0), table.columnWidth(column), table.rowHeight(0))
    return inset(header.grab().toImage(), head), inset(table.viewport().grab().toImage(), cell)


@pytest.fixture(params=[RunComparison, RunTranslations])
def table(stage: Callable[[QWidget, int, int], None], theme: Theme, request: pytest.FixtureRequest) -> QTableWidget:
    """The table of each panel that has one, filled."""
    panel = request.param(theme)
    stage(panel, 1000, 400)
    panel.show_comparison(COMPARISON)
    panel.show_step(History(), 0)
    return panel.table


def test_headings_are_aligned_with_the_cells_below(table: QTableWidget) -> None:
    for column in (1, 2):
        head, cell = insets(table, column)
        assert abs(head - cell) <= 3, (head, cell)


def test_headings_do_not_change_when_a_row_is_selected(table: QTableWidget) -> None:
    heads = table.horizontalHeader()
    before = heads.grab().toImage()
    table.selectRow(0)
    assert table.selectedItems() and heads.grab().toImage() == before


def test_headings_reach_the_edge_after_every_update(stage: Callable[[QWidget, int, int], None], theme: Theme) -> None:
    panel = RunComparison(theme)
    stage(panel, 1600, 400)
    for _ in range(2):
        panel.show_comparison(COMPARISON)
        panel.show_step(History(), 0)
        assert panel.table.horizontalHeader().length() == panel.table.viewport().width()
