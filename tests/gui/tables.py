"""What stands in a table."""

from __future__ import annotations

from PySide6.QtWidgets import QTableWidget, QTableWidgetItem

from tests.gui.present import present


def item_at(table: QTableWidget, row: int, column: int) -> QTableWidgetItem:
    return present(table.item(row, column))


def head_at(table: QTableWidget, column: int) -> QTableWidgetItem:
    return present(table.horizontalHeaderItem(column))


def row_texts(table: QTableWidget, row: int) -> list[str]:
    return [item_at(table, row, column).text() for column in range(table.columnCount())]


def column_texts(table: QTableWidget, column: int) -> list[str]:
    return [item_at(table, row, column).text() for row in range(table.rowCount())]


def head_texts(table: QTableWidget) -> list[str]:
    return [head_at(table, column).text() for column in range(table.columnCount())]
