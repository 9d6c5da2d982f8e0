"""Tables that are read."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QTableWidget


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
