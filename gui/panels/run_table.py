"""The table of runs: one row each, and one sentence for a folder that is none."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt

from gui.panels.row_table import Column, RowTable
from gui.panels.sparkline_delegate import VALUES, SparklineDelegate
from gui.run_rows import RunRow
from gui.theme import Theme

_SPARKLINE = 4  # the column


class RunTable(RowTable[RunRow]):
    """Runs are told apart by their folders."""

    columns = (
        Column("run", "The name in the run's settings; a folder that is no run by its own"),
        Column("begun", "When the run began", 152),
        Column("state", "What became of it, or who writes it now"),
        Column("step", "The newest optimisation step with figures", 96, is_number=True),
        Column("loss", "How the training loss went, from the first step to the last; zero is the bottom", 96),
        Column("best valid loss", "The smallest validation loss, nats a token; smaller is better", 136, is_number=True),
        Column(
            "exact match",
            "The largest share of validation sentences translated without a mistake, free-running",
            120,
            is_number=True,
        ),
    )
    sentence_column = 2

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Runs", "Enter opens a run, or follows it live where another process writes it")
        self.setWordWrap(False)
        self._sparklines = SparklineDelegate(theme)
        self.setItemDelegateForColumn(_SPARKLINE, self._sparklines)

    def texts_of(self, row: RunRow) -> tuple[str, ...]:
        """What a row shows, column by column; "–" where a figure is not known."""
        if row.problem:
            return row.name, "–", row.problem, "", "", "", ""
        created = time.strftime("%Y-%m-%d %H:%M", time.localtime(row.created))
        loss = "–" if row.best_loss is None else f"{row.best_loss:.4f}"
        exact = "–" if row.exact_match is None else f"{100 * row.exact_match:.1f} %"
        return row.name, created, row.state, f"{row.step:,}", "", loss, exact

    def show_rows(self, rows: Sequence[RunRow]) -> None:
        super().show_rows(rows)
        for number, row in enumerate(self.rows):
            cell = self.item(number, _SPARKLINE)
            assert cell is not None
            cell.setData(VALUES, row.losses)
            if row.losses:
                said = f"loss from {row.losses[0]:.3g} to {row.losses[-1]:.3g}"
                cell.setData(Qt.ItemDataRole.AccessibleTextRole, said)

    def key_of(self, row: RunRow) -> Path:
        return row.path

    def problem_of(self, row: RunRow) -> str:
        return row.problem

    def tip_of(self, row: RunRow) -> str:
        return str(row.path)
