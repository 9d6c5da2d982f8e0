"""The table of plugins, one per row; for one that cannot be used, the whole sentence that says why."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QResizeEvent

from gui.datasets.plugin_rows import OURS, PluginRow
from gui.panels.row_table import Column, RowTable
from gui.theme import GRID, Theme

_ROW = 32  # pixels, of one line


class PluginTable(RowTable[PluginRow]):
    """Rows are identified by the plugins' origins, since two plugins may have the same name."""

    columns = (
        Column("dataset", "The title, as Setup shows it"),
        Column("name", "The name in settings: dataset.plugin", 176),
        Column("state", "Whether it can be used, and what a check has found", 152),
        Column("version", "The version of its package, and of core.plugin that it was made for", 200),
        Column("origin", "Its folder, or the installed package that contains it"),
    )
    sentence_column = 2

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Plugins", "Enter tries the chosen plugin")

    def show_rows(self, rows: Sequence[PluginRow]) -> None:
        """Show these plugins instead: first those with problems, then others' plugins, then Headlight's own.

        Among each of these the titles are in alphabetical order.
        """
        super().show_rows(sorted(rows, key=lambda row: (not row.problem, row.location == OURS, row.info.title.lower())))

    def texts_of(self, row: PluginRow) -> tuple[str, ...]:
        return row.info.title, row.info.name, row.state, row.info.version, row.location

    def key_of(self, row: PluginRow) -> str:
        return row.info.origin

    def problem_of(self, row: PluginRow) -> str:
        return row.problem

    def tip_of(self, row: PluginRow) -> str:
        return row.info.origin

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_rows()

    def fit_rows(self) -> None:
        """Give a sentence the lines it needs; Qt would count them as if its cell spanned only one column."""
        columns = range(self.sentence_column, len(self.columns))
        width = sum(map(self.columnWidth, columns)) - self.theme.px(2 * GRID)
        for number, row in enumerate(self.rows):
            room = QRect(0, 0, width, 10_000)
            lines = self.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, row.state)
            self.setRowHeight(number, max(self.theme.px(_ROW), lines.height() + self.theme.px(2 * GRID)))
