"""The table of the chosen runs: a row for each setting or figure, a column for each run; the values stay visible."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableWidget, QTableWidgetItem

from gui.panels.runs.row_text import title_and_meaning, value_text
from gui.theme import Theme
from gui.widgets.labels import literal_tooltip
from gui.widgets.tables import WrappingHeader, make_read_only, table_item

_HELP = (
    "Of the settings those in which the runs differ, of a single run those that are not the defaults, nor what auto "
    "became; the figures are those of each run's best validation. ± is the standard deviation of seeds"
)
_CORNER_TITLE = "setting or figure"
_ROW_HEIGHT = 28  # pixels at 100 %
_WIDEST_COLUMN = 240  # pixels at 100 %
_LEAST, _MOST = 88, 136  # the same, of a run's column among many: to tell its name, and for a mean with deviation


class ComparisonTable(QTableWidget):
    """If there is little room, the first column, of long keys, shrinks, at most to half of the whole width.

    The runs share the rest, so that they stay side by side; if they are too many for that, the table scrolls.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._wanted: list[int] = []  # the width that each column would like to have, in pixels
        self.setObjectName("comparison")
        self.setAccessibleName("Settings that tell the runs apart, and the figures of each run's best validation")
        self.setToolTip(_HELP)
        WrappingHeader(self).setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        make_read_only(self)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # keys begin alike, as do paths

    def fill(self, runs: Sequence[tuple[str, QIcon]], rows: Sequence[tuple[object, ...]]) -> None:
        """Show rows, each a name as in the terminal and a value for each of these runs."""
        self.setColumnCount(1 + len(runs))
        for column, (name, icon) in enumerate(((_CORNER_TITLE, QIcon()), *runs)):
            item = QTableWidgetItem(icon, name)
            item.setToolTip(literal_tooltip(name if column else _HELP))
            self.setHorizontalHeaderItem(column, item)
        self.verticalHeader().setDefaultSectionSize(self._theme.px(_ROW_HEIGHT))
        self.setRowCount(len(rows))
        for number, (key, *values) in enumerate(rows):
            name = str(key)
            title, meaning = title_and_meaning(name)
            self.setItem(number, 0, table_item(title, tip=literal_tooltip(meaning), accessible_text=title))
            for column, ((run, _), value) in enumerate(zip(runs, values, strict=True), start=1):
                text = value_text(name, value)
                self.setItem(
                    number, column, table_item(text, tip=literal_tooltip(text), accessible_text=f"{run} {text}")
                )
        self._measure()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._distribute_width()

    def _measure(self) -> None:
        header = self.horizontalHeader()
        header.setMaximumSectionSize(self._theme.px(_WIDEST_COLUMN))  # so that two runs are visible
        header.setStretchLastSection(False)
        self.resizeColumnsToContents()
        self._wanted = [self.columnWidth(column) for column in range(self.columnCount())]
        header.setStretchLastSection(True)  # so that the line below the header reaches the edge
        self._distribute_width()

    def _distribute_width(self) -> None:
        if self._wanted:
            room, corner_title = self.viewport().width(), self.horizontalHeader().sectionSizeHint(0)
            keys, *runs = self._wanted
            first = min(keys, max(room - sum(runs), room // 2, corner_title))
            share = (room - first) // max(len(runs), 1)
            self.setColumnWidth(0, first)
            for column, wanted in enumerate(runs, start=1):
                self.setColumnWidth(column, min(wanted, max(share, self._least_width(column))))

    def _least_width(self, column: int) -> int:
        """A width at which a run's name and values are whole; a very long name is cut, a very long value wraps."""
        most, name = self._theme.px(_MOST), self.horizontalHeader().sectionSizeHint(column)
        values = min(most, self.sizeHintForColumn(column))
        return max(self._theme.px(_LEAST), values, name if name <= most else 0)
