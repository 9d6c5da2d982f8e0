"""The learned-when map: each token of the validation sentences, with the step at which it became right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QHBoxLayout

from core.analysis.learned_when import NEVER
from core.analysis.validation_figures import ValidationFigures
from core.history import History
from core.run_folder import RunFolder
from gui.panel import Table
from gui.panels.validation.learned_canvas import LearnedCanvas, LearnedSentence
from gui.panels.validation.validation_panel import ValidationPanel
from gui.theme import Theme
from gui.validation_reader import ValidationReader
from gui.widgets.buttons import button
from gui.widgets.dynamic_labels import ElidedLabel
from gui.widgets.scroll_areas import FramelessScrollArea


class LearnedMap(ValidationPanel):
    """Every sentence of the validation at step s, or only those chosen in the confusion map."""

    title = "Learned when"
    empty_sentence = "Each token appears here after the first validation, with the step at which it was learned."

    def __init__(self, theme: Theme, reader: ValidationReader) -> None:
        super().__init__(theme, reader)
        self._sentences: tuple[LearnedSentence, ...] = ()
        self._chosen: frozenset[int] = frozenset()  # places of the chosen sentences in the validation; empty: all
        self._why = ""
        self._folder: RunFolder | None = None  # of the run that the sentences belong to
        self._drawn: tuple[ValidationFigures, int, int] | None = None  # with counts of read and missing validations
        self.why_label = ElidedLabel(role="muted")
        self.all_button = button("All", "Show every sentence of the validation again", name="All sentences")
        self.canvas = LearnedCanvas(theme)
        self.canvas.pointed.connect(self.show_readout)
        area = FramelessScrollArea(self.canvas)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        chosen = QHBoxLayout()
        chosen.addWidget(self.why_label, 1)
        chosen.addWidget(self.all_button)
        self.under_header.addLayout(chosen)
        self.body.addWidget(area, 1)
        self.body.addWidget(self.readout)
        self.canvas.moved_by_key.connect(lambda y: area.ensureVisible(0, y))
        self.all_button.clicked.connect(lambda: self.show_only((), ""))
        self.all_button.hide()
        self.why_label.hide()

    def show_step(self, history: History, step: int) -> None:
        """Draw the newest validation at or before `step`; a choice made in another run is dropped."""
        if history.folder is not self._folder:
            self._folder = history.folder
            if self._chosen:
                self.show_only((), "")
        super().show_step(history, step)

    def draw(self, figures: ValidationFigures) -> None:
        drawn = figures, len(self._reader.learned.steps), len(self._reader.missing)
        if drawn != self._drawn:
            self._drawn = drawn
            self._sentences = learned_sentences(self._reader, figures)
            self._draw()

    def show_only(self, indices: Sequence[int], why: str) -> None:
        """Show only the sentences at these places of the validation, and say why; all of them if `indices` is empty."""
        self._chosen, self._why = frozenset(indices), why
        self._draw()

    def numbers(self) -> Table:
        """A row for each shown token. Its last change lies between "changed after step" and its own step."""
        lines = (
            (one.index + 1, index + 1, token, *self._changes(one, index))
            for one in self._shown()
            for index, token in enumerate(one.tokens)
        )
        return [("sentence", "place", "token", "right since step", "forgotten at step", "changed after step"), *lines]

    def export_widgets(self) -> tuple[LearnedCanvas]:
        """A second canvas with the shown sentences, in which no token is cut."""
        canvas = LearnedCanvas(self.theme)
        canvas.show_sentences(self._shown(), *self._validations())
        canvas.resize(canvas.unwrapped_size())
        return (canvas,)

    def leaveEvent(self, event: QEvent) -> None:
        self.show_readout("")

    def _shown(self) -> tuple[LearnedSentence, ...]:
        return tuple(one for one in self._sentences if not self._chosen or one.index in self._chosen)

    def _changes(self, one: LearnedSentence, column: int) -> tuple[object, object, object]:
        """Steps: right since, forgotten at, and of the validation before that change; empty if there is none."""
        since, forgotten = one.right_since(column), one.forgotten_at(column)
        changed = max(since, forgotten)  # one of them is NEVER
        after = NEVER if changed == NEVER else self.canvas.known_before(changed)
        return _step_text(since), _step_text(forgotten), _step_text(after)

    def _validations(self) -> tuple[list[int], list[int]]:
        """The steps of the known and of the missing validations, up to the drawn one."""
        assert self._drawn is not None
        last, reader = self._drawn[0].step, self._reader
        return [step for step in reader.learned.steps if step <= last], [
            step for step in reader.missing if step <= last
        ]

    def _draw(self) -> None:
        shown = self._shown()
        self.why_label.setText(f"{len(shown):,} of {len(self._sentences):,} sentences: {self._why}")
        for widget in (self.why_label, self.all_button):
            widget.setVisible(bool(self._chosen))
        self.canvas.show_sentences(shown, *self._validations())
        self.legend = self.canvas.legend()
        self.show_readout("")


def learned_sentences(reader: ValidationReader, figures: ValidationFigures) -> tuple[LearnedSentence, ...]:
    """Each sentence of a validation, with the history of its tokens up to it."""
    times = reader.learned.at(figures.step)
    if times is None:
        return ()
    firsts = accumulate((len(one.tokens) for one in figures.sentences), initial=0)
    return tuple(
        LearnedSentence(index, one, first, times)
        for index, (one, first) in enumerate(zip(figures.sentences, firsts, strict=False))
    )


def _step_text(step: int) -> object:
    return "" if step == NEVER else step
