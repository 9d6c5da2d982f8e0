"""Makes a copy of a table with all rows and columns visible and no text cut, for an exported picture."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTableView, QTableWidget


def whole_table(shown: QTableWidget) -> QTableView:
    """A second view of a table's model, large enough for all of it, that is never shown on the screen."""
    made = QTableView()
    made.setObjectName(shown.objectName())
    made.setAccessibleName(shown.accessibleName())
    made.setModel(shown.model())
    made.setItemDelegate(shown.itemDelegate())
    made.setFont(shown.font())
    made.setShowGrid(shown.showGrid())
    made.setAlternatingRowColors(shown.alternatingRowColors())
    made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    made.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    made.ensurePolished()
    rows, columns = made.verticalHeader(), made.horizontalHeader()
    rows.hide()
    rows.setMinimumSectionSize(shown.verticalHeader().minimumSectionSize())
    rows.setDefaultSectionSize(shown.verticalHeader().defaultSectionSize())
    columns.setDefaultAlignment(shown.horizontalHeader().defaultAlignment())
    columns.setHighlightSections(False)
    columns.setResizeContentsPrecision(-1)  # measure all rows, not only the first thousand
    made.resizeColumnsToContents()
    frame = 2 * made.frameWidth()
    made.resize(columns.length() + frame, columns.sizeHint().height() + rows.length() + frame)
    return made
