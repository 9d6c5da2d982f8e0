"""Tables that are read."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QItemSelectionModel, Qt, QTimer
from PySide6.QtWidgets import QTableWidget, QTableWidgetItem

TEXT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
NUMBER = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def read_by_rows(table: QTableWidget) -> None:
    """Have a table be read, a row at a time: nothing is typed into it, and Tab leaves it."""
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
    table.setTabKeyNavigation(False)  # arrow keys walk in it
    table.setShowGrid(False)
    table.horizontalHeader().setHighlightSections(False)  # all would be, whichever row is chosen
    table.verticalHeader().hide()


def choose_row(table: QTableWidget, row: int) -> None:
    """Make this row the chosen one, and no other; none where there is no such row.

    Said in so many words: Qt takes a Ctrl that is held, as for Ctrl+6, for "this one, too".
    """
    flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    table.setCurrentCell(-1, -1, QItemSelectionModel.SelectionFlag.Clear)
    table.setCurrentCell(row, 0, flags)


def cell(text: str = "", *, tip: str = "", spoken: str = "") -> QTableWidgetItem:
    """What stands in a table, can be chosen, and is read out as `spoken` where that is more than its text."""
    item = QTableWidgetItem(text)
    item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
    item.setToolTip(tip)
    if spoken:
        item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
    return item


def fit_to_columns(table: QTableWidget, fit: Callable[[], None]) -> None:
    """Call this once its columns have other widths."""
    soon = QTimer(table, singleShot=True, interval=0)  # they are told of before, and a scroll bar takes from all
    soon.timeout.connect(fit)
    table.horizontalHeader().sectionResized.connect(lambda: soon.start())
