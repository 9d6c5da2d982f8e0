"""The table of runs: a row for each, with a sentence for a folder that is not a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import QAbstractItemView

from core.validation_size import NUM_FREE_RUNNING
from gui.panels.learning.metric_labels import LOSS, format_metric
from gui.panels.row_table import Column, RowTable
from gui.panels.runs.letter_icon import SIZE, letter_icon
from gui.panels.runs.sparkline_delegate import VALUES, SparklineDelegate
from gui.runs.rows import RunRow
from gui.runs.run_names import format_minute
from gui.theme import Theme

Letters = Mapping[Path, tuple[str, QColor]]  # folder of a compared run -> its letter, and the colour of its curve

_NAME, _SPARKLINE, _NOTE = 0, 5, 8  # the columns
_BESIDE_LETTER = 8  # pixels that Qt leaves between letter and name


class RunTable(RowTable[RunRow]):
    """A row for each run; runs are identified by their folders."""

    columns = (
        Column("run", "The name you gave the run, or that of its settings; a folder that is not a run has its own"),
        Column("seed", "The seed of the initial weights, dropout and the order of batches", 52, is_number=True),
        Column("begun", "When the run began", 126),
        Column("state", "How it ended, or which process writes it now"),
        Column("step", "The newest optimisation step with metrics", 64, is_number=True),
        Column("loss", "The training loss from the first step to the last; zero is the bottom", 72),
        Column("best valid loss", "The smallest validation loss, nats a token; smaller is better", 120, is_number=True),
        Column(
            "best match",
            "The largest share of validation sentences written exactly as their references, free-running, "
            f"of the first {NUM_FREE_RUNNING} at most",
            104,
            is_number=True,
        ),
        Column("note", "The first line of your note about the run"),
    )
    sentence_column = 3

    def __init__(self, theme: Theme) -> None:
        tip = "Enter opens a run, or follows it live where another process writes it; several chosen ones are compared"
        super().__init__(theme, "Runs", tip)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setWordWrap(False)
        self._letters: Letters = {}
        self._sparklines = SparklineDelegate(theme)
        self.setItemDelegateForColumn(_SPARKLINE, self._sparklines)

    def texts_of(self, row: RunRow) -> tuple[str, ...]:
        """What a row shows, column by column; "–" if a figure is not known."""
        if row.problem:
            return row.name, "–", "–", row.problem, "", "", "", "", ""
        loss = "–" if row.best_loss is None else format_metric(LOSS, row.best_loss)
        exact = "–" if row.exact_match is None else format_metric("valid/exact_match", row.exact_match)
        note = row.note.partition("\n")[0]
        return row.name, str(row.seed), format_minute(row.created), row.state, f"{row.step:,}", "", loss, exact, note

    def needed_width(self, index: int) -> int:
        """Includes room for a letter before each name, also before runs are compared, so that no column moves then."""
        if index == _SPARKLINE:
            return self.theme.px(self.columns[index].width)
        return super().needed_width(index) + (self.theme.px(SIZE) + _BESIDE_LETTER if index == _NAME else 0)

    @property
    def selected_row(self) -> RunRow | None:
        """The run chosen last; another chosen one if Ctrl+click took that out of the choice and left it current."""
        current, chosen = super().selected_row, self.selected_rows
        return current if current in chosen else next(reversed(chosen), None)

    @property
    def selected_rows(self) -> list[RunRow]:
        """All chosen runs from the top down."""
        ranges = self.selectionModel().selection().toList()  # `selectedIndexes` would make an object for each cell
        numbers = {number for one in ranges for number in range(one.top(), one.bottom() + 1)}
        return [self.rows[number] for number in sorted(numbers)]

    def select_rows(self, paths: Collection[Path]) -> None:
        """Choose these runs, besides the one chosen last."""
        selection = QItemSelection()
        for number, row in enumerate(self.rows):
            if row.path in paths:
                selection.select(self.model().index(number, 0), self.model().index(number, 0))
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().select(selection, flags)  # once: each call tells the view

    def show_letters(self, letters: Letters) -> None:
        """Show the letter of each compared run before its name, on the colour of its curve; other rows have none."""
        changed, self._letters = {*self._letters, *letters}, letters
        self.setIconSize(QSize(self.theme.px(SIZE), self.theme.px(SIZE)))
        for number, row in enumerate(self.rows):
            if row.path in changed:
                self._show_letter(number, row)

    def _show_letter(self, number: int, row: RunRow) -> None:
        letter, colour = self._letters.get(row.path, ("", None))
        cell = self.item(number, _NAME)
        assert cell is not None
        cell.setIcon(QIcon() if colour is None else letter_icon(letter, colour, self.theme, self.devicePixelRatioF()))
        cell.setData(Qt.ItemDataRole.AccessibleTextRole, " ".join(filter(None, ("run", letter, row.name))))

    def show_rows(self, rows: Sequence[RunRow]) -> None:
        chosen, had_rows = {row.path for row in self.selected_rows}, bool(self.rows)
        self.setColumnHidden(_NOTE, not any(row.note for row in rows))
        with QSignalBlocker(self):  # no signals while the table is half filled
            super().show_rows(rows)
            if len(chosen) > 1:
                self.select_rows(chosen)
            elif had_rows and not chosen:
                self.clearSelection()
        self.show_letters(self._letters)

    def fill(self, number: int, row: RunRow) -> None:
        super().fill(number, row)
        cell = self.item(number, _SPARKLINE)
        assert cell is not None
        cell.setData(VALUES, row.losses)
        if row.losses:
            description = f"loss from {row.losses[0]:.3g} to {row.losses[-1]:.3g}"
            cell.setData(Qt.ItemDataRole.AccessibleTextRole, description)

    def key_of(self, row: RunRow) -> Path:
        return row.path

    def problem_of(self, row: RunRow) -> str:
        return row.problem

    def tip_of(self, row: RunRow) -> str:
        return f"{row.path}\n{row.note}".rstrip()
