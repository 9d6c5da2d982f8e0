"""What the chosen runs wrote for the same sentences in a validation; sentences on which they differ come first.

Of a single run, those on which it differs from the reference.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHeaderView, QTableView, QTableWidget, QTableWidgetItem

from core.events import ValidatedSentence
from core.history import History
from gui.panels.runs.comparison_panel import ComparisonPanel
from gui.pictures.whole_table import whole_table
from gui.runs.comparison import ComparedRun, Comparison
from gui.theme import Theme
from gui.widgets.labels import literal_tooltip
from gui.widgets.tables import WrappingHeader, make_read_only, table_item

_NOTHING_IN_COMMON = (
    "These runs have validated no sentence in common. Choose runs of the same dataset that were validated."
)
_ROW_HEIGHT = 36  # pixels at 100 %, for two lines
_NOT_THERE = "–"
_Line = tuple[str | None, ...]  # source, reference, and the output of each run; None without one
_MARKS = {True: ("✓ ", "right, "), False: ("✗ ", "wrong, "), None: ("", "")}  # is right -> (as shown, as read out)


class RunTranslations(ComparisonPanel):
    """One row per sentence, one column per run; each output is marked right if it equals the reference, else wrong."""

    title = "Translations of the chosen runs"
    empty_sentence = "Choose a run above, or several (Ctrl+click, or Shift+arrow key): their translations appear here."

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._lines: list[_Line] = []
        self.table = QTableWidget()
        self.table.setObjectName("translations")
        self.table.setAccessibleName("Sentences, their references, and what each run writes")
        self.table.setToolTip("Free-running outputs of a validation of each run; ✓: equal to the reference, ✗: not")
        WrappingHeader(self.table).setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        make_read_only(self.table)
        self.table.setAlternatingRowColors(True)
        self.body.addWidget(self.table)

    def show_comparison(self, comparison: Comparison | None, why_none: str = "") -> None:
        self._lines = [] if comparison is None else translations_of(comparison.runs)
        super().show_comparison(comparison, why_none)

    def show_step(self, history: History, step: int) -> None:
        """Fill the table for the step chosen for the comparison; the step that the window views makes no difference."""
        if self.comparison is None or not self._lines:
            self.show_empty(self._why_nothing())
            return
        self.show_body()
        num_apart = sum(_differs(line) for line in self._lines)
        self.set_title(_title_of(num_apart, len(self._lines), len(self.comparison.runs)))
        self._fill(self._column_titles(self.comparison.runs))

    def numbers(self) -> Sequence[tuple[str, ...]]:
        """The table."""
        assert self.comparison is not None
        return [self._column_titles(self.comparison.runs), *(tuple(map(_shown, line)) for line in self._lines)]

    def export_widgets(self) -> tuple[QTableView]:
        """The table with all its rows, and no text cut."""
        return (whole_table(self.table),)

    def _column_titles(self, runs: tuple[ComparedRun, ...]) -> tuple[str, ...]:
        return "source", "reference", *map(_column_title, runs)

    def _why_nothing(self) -> str:
        is_any = self.comparison is not None and any(run.validated for run in self.comparison.runs)
        return self.why_nothing("validated", is_any, _NOTHING_IN_COMMON)

    def _fill(self, titles: tuple[str, ...]) -> None:
        self.table.setColumnCount(len(titles))
        self.table.setHorizontalHeaderLabels(titles)
        for column, heading in enumerate(titles):
            title = self.table.horizontalHeaderItem(column)
            assert title is not None
            title.setToolTip(literal_tooltip(heading))
        self.table.verticalHeader().setDefaultSectionSize(self.theme.px(_ROW_HEIGHT))
        self.table.setRowCount(len(self._lines))
        for number, line in enumerate(self._lines):
            for column, text in enumerate(line):
                is_right = text == line[1] if column > 1 and text is not None else None
                self.table.setItem(number, column, self._item(_shown(text), titles[column], is_right=is_right))

    def _item(self, text: str, title: str, *, is_right: bool | None) -> QTableWidgetItem:
        """A cell. `is_right` is None if the text is not an output."""
        mark, spoken_mark = _MARKS[is_right]
        item = table_item(mark + text, tip=literal_tooltip(text), accessible_text=f"{title} {spoken_mark}{text}")
        item.setFont(self.theme.token_font())
        if is_right:
            item.setForeground(self.theme.colour("good_text"))
        return item


def translations_of(runs: tuple[ComparedRun, ...]) -> list[_Line]:
    """Source, reference and each run's output, for the sentences that all validations share.

    Sentences whose outputs differ, for a single run from the reference, come first. A run that was not validated at the
    step has None in each line.
    """
    validated = [{(one.source, one.reference): one for one in run.validated} for run in runs]
    there = [known for known in validated if known]
    lines = [_line(key, validated) for key in (there[0] if there else ()) if all(key in others for others in there)]
    return sorted(lines, key=lambda line: not _differs(line))


def _title_of(num_different: int, num_lines: int, num_runs: int) -> str:
    if num_runs == 1:
        return f"Translations of the run: {num_lines - num_different:,} of {num_lines:,} equal the reference"
    return f"{RunTranslations.title}: they differ in {num_different:,} of {num_lines:,} sentences"


def _line(key: tuple[str, str], validated: list[dict[tuple[str, str], ValidatedSentence]]) -> _Line:
    return (*key, *(known[key].hypothesis if known else None for known in validated))


def _differs(line: _Line) -> bool:
    """Whether the outputs in this line differ from each other; that of a single run, from the reference."""
    _, reference, *outputs = line
    texts = outputs if len(outputs) > 1 else [reference, *outputs]
    return len({text for text in texts if text is not None}) > 1


def _shown(text: str | None) -> str:
    return _NOT_THERE if text is None else text


def _column_title(run: ComparedRun) -> str:
    if run.validated_at is None:
        return f"{run.title} · not validated there"
    return f"{run.title} · step {run.validated_at:,}"
