"""The table of plugins: one row each; of one that cannot be used, the whole sentence that says why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from core.doctor.findings import PluginReport
from core.plugins_host.discovery import built_in_plugins_dir
from core.plugins_host.info import PluginInfo
from gui.theme import GRID, Theme
from gui.widgets import from_home

_COLUMNS: tuple[tuple[str, str], ...] = (
    ("dataset", "The title, as Setup shows it"),
    ("name", "The name in settings: dataset.plugin"),
    ("state", "Whether it can be used, and what a check has found"),
    ("version", "The version of its package, and of core.plugin that it was made for"),
    ("origin", "Its folder, or the installed package that brings it"),
)
OURS = "Headlight"
_STATE = 2
_ROW = 32  # pixels, of one line


class PluginTable(QTableWidget):
    """Shows rows and keeps the chosen one chosen, by its origin."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(0, len(_COLUMNS))
        self._theme = theme
        self.infos: list[PluginInfo] = []
        self._name_columns()
        self.setObjectName("plugins")
        self.setAccessibleName("Plugins")
        self.setToolTip("Enter tries the chosen plugin")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)  # Tab leaves the table; arrow keys walk in it
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.verticalHeader().hide()
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def chosen(self) -> PluginInfo | None:
        row = self.currentRow()
        return self.infos[row] if 0 <= row < len(self.infos) else None

    def show_infos(self, infos: Sequence[PluginInfo]) -> None:
        """Show these instead, what is to be mended first, then others' plugins, then Headlight's own."""
        infos = sorted(infos, key=lambda info: (info.error is None, place_of(info) == OURS))
        if infos == self.infos:
            return
        chosen = self.chosen
        self.infos = []  # so that no half-filled table is asked what is chosen
        self.clearSpans()
        self.setRowCount(len(infos))
        for number, info in enumerate(infos):
            self._fill(number, info)
        self.infos = infos
        self._fit_rows()
        self.choose(chosen.origin if chosen else "")

    def choose(self, origin: str) -> None:
        """Make the plugin of this origin the chosen one; the first where there is none."""
        places = [number for number, info in enumerate(self.infos) if info.origin == origin]
        self.setCurrentCell(-1, -1)
        self.setCurrentCell(places[0] if places else 0, 0)

    def show_state(self, info: PluginInfo, state: str) -> None:
        """Say something else of a plugin that can be used."""
        for number, shown in enumerate(self.infos):
            if shown.origin == info.origin and shown.error is None:
                self._set_text(number, _STATE, state)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_rows()

    def _fill(self, number: int, info: PluginInfo) -> None:
        for column, text in enumerate(texts_of(info)):
            item = QTableWidgetItem()
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setToolTip(info.error if info.error and column == _STATE else info.origin)
            self.setItem(number, column, item)
            self._set_text(number, column, text)
        if info.error:
            self.setSpan(number, _STATE, 1, len(_COLUMNS) - _STATE)

    def _set_text(self, row: int, column: int, text: str) -> None:
        item = self.item(row, column)
        assert item is not None  # every cell is filled
        item.setText(text)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{_COLUMNS[column][0]} {text}")

    def _fit_rows(self) -> None:
        """Give a sentence the lines it needs; Qt would count them as if the cell were one column wide."""
        width = sum(self.columnWidth(column) for column in range(_STATE, len(_COLUMNS))) - self._theme.px(2 * GRID)
        for number, info in enumerate(self.infos):
            room = QRect(0, 0, width, 10_000)
            lines = self.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, texts_of(info)[_STATE])
            self.setRowHeight(number, max(self._theme.px(_ROW), lines.height() + self._theme.px(2 * GRID)))

    def _name_columns(self) -> None:
        for column, (name, meaning) in enumerate(_COLUMNS):
            item = QTableWidgetItem(name)
            item.setToolTip(meaning)
            item.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            self.setHorizontalHeaderItem(column, item)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for column in (0, len(_COLUMNS) - 1):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)

    def _restyle(self) -> None:
        self.setFont(self._theme.font())
        for column, width in ((1, 176), (_STATE, 152), (3, 200)):
            self.setColumnWidth(column, self._theme.px(width))
        self._fit_rows()


def texts_of(info: PluginInfo) -> tuple[str, ...]:
    """What a row shows, column by column."""
    return info.title, info.name, f"✗ {info.error}" if info.error else info.state, info.version, place_of(info)


def place_of(info: PluginInfo) -> str:
    """`Headlight` for what it brings along, else the package or the folder."""
    if info.package:
        return info.package
    folder = Path(info.origin).parent
    return OURS if folder == built_in_plugins_dir() else from_home(folder)


def state_after(info: PluginInfo, report: PluginReport | None) -> str:
    """A plugin's state, with what a check has found."""
    if report is None:
        return info.state
    count = len(report.findings)
    return f"{info.state} · {'clean' if not count else '1 finding' if count == 1 else f'{count} findings'}"
