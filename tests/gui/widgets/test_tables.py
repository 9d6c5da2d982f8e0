"""The headings of tables are aligned with the texts of their cells at every zoom."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QItemSelectionModel, QRect, Qt
from PySide6.QtGui import QImage, QKeyEvent
from PySide6.QtWidgets import QApplication, QStyleOptionHeader, QTableWidget, QTableWidgetItem, QWidget
from pytestqt.qtbot import QtBot

from gui.panels.datasets.example_table import ExampleTable
from gui.panels.datasets.pair_table import PairTable
from gui.panels.datasets.plugin_table import PluginTable
from gui.panels.datasets.token_delegate import TOKENS
from gui.panels.runs.comparison_table import ComparisonTable
from gui.panels.runs.run_table import RunTable
from gui.panels.translation.candidate_table import CandidateTable
from gui.panels.translation.probability_delegate import PROBABILITY
from gui.theme import Theme
from gui.widgets.tables import NUMBER_ALIGNMENT, TEXT_ALIGNMENT, WrappingHeader
from tests.gui.tables import header_item
from tests.gui.waiting import wait_for

TEXT = "HH"  # the same in heading and cell, with the same space beside its letters
_A_ROUNDING = 1  # pixel


@pytest.fixture
def theme(qtbot: QtBot) -> Iterator[Theme]:
    made = Theme("light")
    made.apply()
    yield made
    made.set_zoom(100)


@pytest.mark.parametrize("kind", [RunTable, ExampleTable, PairTable, CandidateTable, PluginTable])
def test_space_is_left_to_learn_unless_it_selects_another_row(qtbot: QtBot, theme: Theme, kind: type[RunTable]) -> None:
    """Data and Runs give their table the focus when they open, and Space did nothing there."""
    table = kind(theme)
    qtbot.addWidget(table)
    table.setRowCount(2)
    for row in range(2):
        table.setItem(row, 0, QTableWidgetItem())
    for is_selected in (True, False):
        flag = QItemSelectionModel.SelectionFlag
        table.setCurrentCell(0, 0, flag.ClearAndSelect | flag.Rows if is_selected else flag.Clear)
        key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Space, Qt.KeyboardModifier(0), " ")
        QApplication.sendEvent(table, key)
        assert key.isAccepted() != is_selected


@pytest.mark.parametrize("zoom", [100, 150, 200])
@pytest.mark.parametrize("kind", [RunTable, ExampleTable, PairTable, CandidateTable, ComparisonTable, PluginTable])
def test_a_heading_is_aligned_with_the_texts_of_its_cells(
    qtbot: QtBot, theme: Theme, kind: type[RunTable], zoom: int
) -> None:
    table = kind(theme)
    theme.set_zoom(zoom)
    qtbot.addWidget(table)
    _fill(table)
    table.resize(1600, 300)
    table.show()
    head, cells = table.horizontalHeader(), table.viewport()
    for column in range(table.columnCount()):
        if table.isColumnHidden(column):
            continue
        left, width = table.columnViewportPosition(column), table.columnWidth(column)
        is_number = _is_number(header_item(table, column))
        over = _ink(head.viewport(), QRect(left, 0, width, head.height() - 2))
        under = _ink(cells, QRect(left, table.rowViewportPosition(1) + 1, width, table.rowHeight(1) - 2))
        offset = over[is_number] - under[is_number]
        assert abs(offset) <= _A_ROUNDING, f"column {column} of {kind.__name__}: {over} over {under}"


def _fill(table: QTableWidget) -> None:
    """Give each heading and cell the same text, painted by the table's own delegate if it has one."""
    table.setColumnCount(max(table.columnCount(), 3))
    table.setRowCount(2)
    for column in range(table.columnCount()):
        head = table.horizontalHeaderItem(column) or QTableWidgetItem()
        head.setText(TEXT)
        table.setHorizontalHeaderItem(column, head)
        for row in range(2):
            item = QTableWidgetItem(TEXT)
            item.setTextAlignment(NUMBER_ALIGNMENT if _is_number(head) else TEXT_ALIGNMENT)
            if isinstance(table, PairTable):
                item.setData(TOKENS, ((TEXT, "known"),))
            elif isinstance(table, CandidateTable):
                item.setData(PROBABILITY, 0.0)  # a bar would be ink
            table.setItem(row, column, item)


def _is_number(head: QTableWidgetItem) -> bool:
    return bool(head.textAlignment() & Qt.AlignmentFlag.AlignRight.value)


def _ink(widget: QWidget, part: QRect) -> tuple[int, int]:
    """The first and the last column of pixels that differ from the background."""
    image = widget.grab(part).toImage().convertToFormat(QImage.Format.Format_RGB32)
    blank = image.pixel(1, 1)
    inked = [x for x in range(image.width()) if any(image.pixel(x, y) != blank for y in range(1, image.height() - 1))]
    return inked[0], inked[-1]


def test_a_wrapping_header_is_as_high_as_its_texts_need(qtbot: QtBot, theme: Theme) -> None:
    table = QTableWidget(1, 2)
    qtbot.addWidget(table)
    header, name, drawn = WrappingHeader(table), "A  copy_task, seed 2 · step 400", QStyleOptionHeader()
    table.setHorizontalHeaderLabels(["source", name])
    line, words = header.fontMetrics().height(), header.fontMetrics().horizontalAdvance(name)
    table.setColumnWidth(1, 2 * words)
    table.show()
    single = header.height()
    for width, num_lines in ((2 * words, 1), (3 * words // 4, 2), (words // 2, 4), (2 * words, 1)):
        table.setColumnWidth(1, width)
        wait_for(qtbot, lambda height: header.height() == height, single + (num_lines - 1) * line)
        header.initStyleOptionForIndex(drawn, 1)
        assert drawn.text == name
    table.setColumnWidth(1, 60)
    header.initStyleOptionForIndex(drawn, 1)
    assert "…" in drawn.text and drawn.text.startswith("A  c") and drawn.text.endswith("step 400")
