"""The table of runs: one row each, and one sentence for a folder that is none."""

from __future__ import annotations

import time
from pathlib import Path

from gui.panels.row_table import Column, RowTable
from gui.run_rows import RunRow
from gui.theme import Theme


class RunTable(RowTable[RunRow]):
    """Runs are told apart by their folders."""

    columns = (
        Column("run", "The name in the run's settings; a folder that is no run by its own"),
        Column("begun", "When the run began", 152),
        Column("state", "What became of it, or who writes it now"),
        Column("step", "The newest optimisation step with figures", 96, is_number=True),
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

    def texts_of(self, row: RunRow) -> tuple[str, ...]:
        """What a row shows, column by column; "–" where a figure is not known."""
        if row.problem:
            return row.name, "–", row.problem, "", "", ""
        created = time.strftime("%Y-%m-%d %H:%M", time.localtime(row.created))
        loss = "–" if row.best_loss is None else f"{row.best_loss:.4f}"
        exact = "–" if row.exact_match is None else f"{100 * row.exact_match:.1f} %"
        return row.name, created, row.state, f"{row.step:,}", loss, exact

    def key_of(self, row: RunRow) -> Path:
        return row.path

    def problem_of(self, row: RunRow) -> str:
        return row.problem

    def tip_of(self, row: RunRow) -> str:
        return str(row.path)
