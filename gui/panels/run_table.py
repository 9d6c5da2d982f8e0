"""The table of runs: one row each, and one sentence for a folder that is none."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from gui.run_rows import RunRow
from gui.theme import Theme

_COLUMNS: tuple[tuple[str, str], ...] = (
    ("run", "The name in the run's settings; a folder that is no run by its own"),
    ("begun", "When the run began"),
    ("state", "What became of it, or who writes it now"),
    ("step", "The newest optimisation step with figures"),
    ("best valid loss", "The smallest validation loss, nats a token; smaller is better"),
    ("exact match", "The largest share of validation sentences translated without a mistake, free-running"),
)
_STATE = 2
_FIRST_NUMBER = 3


class RunTable(QTableWidget):
    """Shows rows and keeps the chosen one chosen, by its folder."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(0, len(_COLUMNS))
        self._theme = theme
        self.rows: list[RunRow] = []
        self._name_columns()
        self.setObjectName("runs")
        self.setAccessibleName("Runs")
        self.setToolTip("Enter opens a run, or follows it live where another process writes it")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)  # Tab leaves the table; arrow keys walk in it
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def chosen(self) -> RunRow | None:
        row = self.currentRow()
        return self.rows[row] if 0 <= row < len(self.rows) else None

    def show_rows(self, rows: list[RunRow]) -> None:
        """Show these instead; nothing happens where they are the same."""
        if rows == self.rows:
            return
        chosen = self.chosen
        self.rows = []  # so that no half-filled table is asked what is chosen
        self.clearSpans()
        self.setRowCount(len(rows))
        for number, row in enumerate(rows):
            self._fill(number, row)
        self.rows = rows
        self._choose(chosen.path if chosen else None)

    def _choose(self, path: Path | None) -> None:
        places = [number for number, row in enumerate(self.rows) if row.path == path]
        self.setCurrentCell(-1, -1)
        self.setCurrentCell(places[0] if places else 0, 0)

    def _fill(self, number: int, row: RunRow) -> None:
        for column, text in enumerate(texts_of(row)):
            item = QTableWidgetItem(text)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setToolTip(row.problem if row.problem and column == _STATE else str(row.path))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{_COLUMNS[column][0]} {text or 'unknown'}")
            if column >= _FIRST_NUMBER:
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.setItem(number, column, item)
        if row.problem:
            self.setSpan(number, _STATE, 1, len(_COLUMNS) - _STATE)

    def _name_columns(self) -> None:
        for column, (name, meaning) in enumerate(_COLUMNS):
            item = QTableWidgetItem(name)
            item.setToolTip(meaning)
            side = Qt.AlignmentFlag.AlignRight if column >= _FIRST_NUMBER else Qt.AlignmentFlag.AlignLeft
            item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
            self.setHorizontalHeaderItem(column, item)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(_STATE, QHeaderView.ResizeMode.Stretch)

    def _restyle(self) -> None:
        self.setFont(self._theme.font())
        self.verticalHeader().setDefaultSectionSize(self._theme.px(32))
        for column, width in ((1, 152), (3, 96), (4, 136), (5, 120)):
            self.setColumnWidth(column, self._theme.px(width))


def texts_of(row: RunRow) -> tuple[str, ...]:
    """What a row shows, column by column; "–" where a figure is not known."""
    if row.problem:
        return row.name, "–", row.problem, "", "", ""
    created = time.strftime("%Y-%m-%d %H:%M", time.localtime(row.created))
    loss = "–" if row.best_loss is None else f"{row.best_loss:.4f}"
    exact = "–" if row.exact_match is None else f"{100 * row.exact_match:.1f} %"
    return row.name, created, row.state, f"{row.step:,}", loss, exact
