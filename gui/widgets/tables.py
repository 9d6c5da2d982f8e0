"""Tables that are read."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QTableWidget,
)


def read_by_rows(table: QTableWidget) -> None:
    """Have a table be read, a row at a time: nothing is typed into it, and Tab leaves it."""
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
    table.setTabKeyNavigation(False)  # arrow keys walk in it
    table.setShowGrid(False)
    table.verticalHeader().hide()
