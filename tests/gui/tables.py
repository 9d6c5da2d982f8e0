"""Access to the items and texts of tables."""

from __future__ import annotations

from PySide6.QtWidgets import QTableWidget, QTableWidgetItem

from tests.gui.not_none import not_none


def item_at(table: QTableWidget, row: int, column: int) -> QTableWidgetItem:
    return not_none(table.item(row, column))


def header_item(table: QTableWidget, column: int) -> QTableWidgetItem:
    return not_none(table.horizontalHeaderItem(column))


def row_texts(table: QTableWidget, row: int) -> list[str]:
    return [item_at(table, row, column).text() for column in range(table.columnCount())]


def column_texts(table: QTableWidget, column: int) -> list[str]:
    return [item_at(table, row, column).text() for row in range(table.rowCount())]


def header_texts(table: QTableWidget) -> list[str]:
    return [header_item(table, column).text() for column in range(table.columnCount())]
