"""Read-only tables."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QItemSelectionModel, Qt, QTimer
from PySide6.QtWidgets import QTableWidget, QTableWidgetItem

TEXT_ALIGNMENT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
NUMBER_ALIGNMENT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def make_read_only(table: QTableWidget) -> None:
    """Make a table read-only, with whole rows selected; Tab leaves it."""
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
    table.setTabKeyNavigation(False)  # the arrow keys move inside it
    table.setShowGrid(False)
    table.horizontalHeader().setHighlightSections(False)  # any chosen row would highlight them all
    table.verticalHeader().hide()


def select_row(table: QTableWidget, row: int) -> None:
    """Choose this row alone, or none if there is no such row.

    The flags are explicit, since otherwise Qt takes a held Ctrl, as of Ctrl+6, to mean "this one, too".
    """
    flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    table.setCurrentCell(-1, -1, QItemSelectionModel.SelectionFlag.Clear)
    table.setCurrentCell(row, 0, flags)


def table_item(text: str = "", *, tip: str = "", accessible_text: str = "") -> QTableWidgetItem:
    """A read-only cell that can be chosen; a screen reader says `accessible_text`, if given, instead of its text."""
    item = QTableWidgetItem(text)
    item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
    item.setToolTip(tip)
    if accessible_text:
        item.setData(Qt.ItemDataRole.AccessibleTextRole, accessible_text)
    return item


def on_columns_resized(table: QTableWidget, callback: Callable[[], None]) -> None:
    """Call `callback` after the widths of the table's columns have changed."""
    soon = QTimer(table, singleShot=True, interval=0)  # the signal comes early, and a scroll bar narrows all
    soon.timeout.connect(callback)
    table.horizontalHeader().sectionResized.connect(lambda: soon.start())
