"""The chosen runs side by side, on three pages: losses and settings, a head of each, what each writes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal

from gui.context import Context
from gui.panel import Panel
from gui.panels.attention.head_chooser import HeadChooser
from gui.panels.runs.run_attention import RunAttention
from gui.panels.runs.run_comparison import RunComparison
from gui.panels.runs.run_table import Letters
from gui.panels.runs.run_translations import RunTranslations
from gui.runs.comparison import LETTERS, Comparison, RunsReader, StepChoice
from gui.runs.rows import RunRow
from gui.widgets.combo_boxes import combo_box, set_items
from gui.widgets.flow_layout import with_label
from gui.widgets.labels import plain_label
from gui.widgets.tabbed_pages import TabbedPages, column_of

_PAGES = (
    ("Curves and settings", "Losses on one axis; the settings in which runs differ, or a single one from the defaults"),
    ("Attention", "A head of each chosen run, for the same sentence"),
    ("Translations", "What each chosen run writes for the same sentences"),
)
_STEP_HELP = (
    "Which probe and which validation of each run to show: its newest, those of the newest step that all runs have, "
    "or those of one step"
)
_LEFT_OUT_HELP = f"{len(LETTERS)} runs at most are compared; the row of an unreadable one says why"
_UNREADABLE = "What is chosen above cannot be read: choose other runs."
_OF_ONE: tuple[tuple[str, StepChoice], ...] = (("newest", "newest"),)
_OF_SEVERAL: tuple[tuple[str, StepChoice], ...] = (("each run's newest", "newest"), ("newest in common", "common"))


class ComparisonPages(TabbedPages):
    """Reads the runs beside the GUI thread, and again when one of them has grown."""

    letters_changed = Signal()  # other runs are compared, or have other letters

    def __init__(self, context: Context) -> None:
        super().__init__("What is shown of the chosen runs", *_PAGES)
        self._bridge = context.bridge
        self._reader = RunsReader()
        self._rows: list[RunRow] = []  # of the comparison that is shown, or wanted
        self._all_unreadable = False  # whether runs are chosen, and none of them can be read
        self._is_reading = False
        self._at: StepChoice = "newest"
        self._compared: list[Path] = []  # the runs that are shown
        self.comparison = RunComparison(context.theme)
        self.attention = RunAttention(context.theme, context.selection)
        source = self.attention.deepest_sentence
        self.head_chooser = HeadChooser(context.theme, context.selection, source, has_lines=False)
        self.translations = RunTranslations(context.theme)
        attention_page = column_of(self.head_chooser, self.attention)
        self.head_chooser.add_shortcuts(attention_page)
        for page in (self.comparison, attention_page, self.translations):
            self.add(page)
        self.step_combo = combo_box("Step of the chosen runs", _STEP_HELP)
        self._labelled_step = with_label("at step", self.step_combo)
        self.left_out_label = plain_label(role="muted")
        self.left_out_label.setToolTip(_LEFT_OUT_HELP)
        self.button_row.addWidget(self.left_out_label)
        self.button_row.addWidget(self._labelled_step)
        self._fill_step_combo(())
        self.step_combo.activated.connect(self._handle_step_chosen)
        self.page_changed.connect(self._show_step_choice)
        self._show_step_choice()

    @property
    def panels(self) -> tuple[Panel, ...]:
        """All panels on the pages."""
        return self.comparison, self.head_chooser, self.attention, self.translations

    @property
    def letters(self) -> Letters:
        """Letter and colour of each compared run; a single run has none."""
        comparison = self.comparison.comparison
        runs = comparison.runs if comparison is not None else ()
        return {
            path: (run.letter, self.comparison.colour(index))
            for index, (path, run) in enumerate(zip(self._compared, runs, strict=True))
            if run.letter
        }

    def compare(self, rows: Sequence[RunRow]) -> None:
        """Compare those of these runs that can be read, at most as many as there are letters."""
        self.left_out_label.setText(describe_left_out(rows))
        readable = [row for row in rows if not row.problem][: len(LETTERS)]
        all_unreadable = bool(rows) and not readable
        if readable == self._rows and all_unreadable == self._all_unreadable:
            return
        if {row.path for row in readable} != {row.path for row in self._rows}:
            self._at = "newest"  # other runs may have no such step
        self._rows, self._all_unreadable = readable, all_unreadable
        self._read()

    def retry(self) -> None:
        """Read again if runs could not be read, or parts were damaged: they may have been repaired."""
        comparison = self.comparison.comparison
        if comparison is None or comparison.damaged:
            self._reader = RunsReader()  # the old one remembers what was damaged
            self._read()

    def _read(self) -> None:
        """Read the chosen runs, one reading at a time: of ten choices in quick succession only the last matters."""
        if not self._rows:
            self._show(None, why_none=_UNREADABLE if self._all_unreadable else "")
            return
        if self._is_reading:
            return
        self._is_reading, rows, at = True, self._rows, self._at
        self._bridge.run_in_background(
            partial(self._reader.read, rows, at),
            partial(self._handle_read, rows),
            partial(self._handle_read_error, rows),
        )

    def _handle_read(self, rows: list[RunRow], comparison: Comparison) -> None:
        self._is_reading = False
        if rows != self._rows or comparison.chosen_step != self._at:  # something else was chosen meanwhile
            self._read()
            return
        shown = self.comparison.comparison
        reported = shown.damaged if shown is not None else ()
        self._show(comparison, [row.path for row in rows])
        for error in comparison.damaged:
            if error not in reported:
                self._bridge.report(error)

    def _handle_read_error(self, rows: list[RunRow], error: Exception) -> None:
        """Report the error and show nothing: what was shown is of other runs, or of these as they were."""
        self._is_reading = False
        if rows != self._rows:
            self._read()
            return
        self._show(None, why_none=_UNREADABLE)
        self._bridge.report(error)

    def _handle_step_chosen(self, index: int) -> None:
        if self._compared == [row.path for row in self._rows]:  # else the step is one of runs no longer chosen
            self._at = self.step_combo.itemData(index)
            self._read()

    def _show(self, comparison: Comparison | None, runs: Sequence[Path] = (), why_none: str = "") -> None:
        self._compared = list(runs)
        self._fill_step_combo(comparison.steps if comparison is not None else ())
        for panel in (self.comparison, self.attention, self.translations):
            panel.show_comparison(comparison, why_none)
        self.head_chooser.mark_dirty()
        self.letters_changed.emit()

    def _fill_step_combo(self, steps: Sequence[int]) -> None:
        """Offer the steps at which any of the runs was probed or validated."""
        first = _OF_SEVERAL if len(self._rows) > 1 else _OF_ONE
        set_items(self.step_combo, [*first, *((f"{step:,}", step) for step in steps)])
        self.step_combo.setCurrentIndex(self.step_combo.findData(self._at))

    def _show_step_choice(self) -> None:
        """Hide the choice of a step on the page of curves, which show all steps."""
        self._labelled_step.setVisible(self.current_index > 0)


def describe_left_out(rows: Sequence[RunRow]) -> str:
    """How many of these chosen runs are not compared; empty if all are, or if only one is chosen."""
    num_unread, num_chosen = sum(bool(row.problem) for row in rows), len(rows)
    if num_chosen - num_unread > len(LETTERS):
        first = f"the first {len(LETTERS)} of {num_chosen} chosen"
        return f"{first}; {num_unread} cannot be read" if num_unread else first
    return f"{num_unread} of {num_chosen} chosen cannot be read" if num_unread and num_chosen > 1 else ""
