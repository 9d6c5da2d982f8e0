"""The translation of the typed sentence: each token with its probability and what nearly came instead."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from core.events import Event
from core.history import History
from core.probes import Feed
from core.requests import Translation
from gui.panel import Panel, Table
from gui.panels.probability_delegate import PROBABILITY, ProbabilityDelegate
from gui.theme import GRID, Theme
from gui.typed_sentence import TypedSentence
from gui.widgets import plain_label

Candidate = tuple[str, float]  # a token and its probability
_COLUMNS = ("chosen", "runner-up", "3rd", "4th", "5th")
_NARROWEST = 88  # pixels of a column in which a token and its number can be read


class TokenTable(Panel):
    """One row a token: the chosen one first, then the others in the order of their probability."""

    title = "Translation"
    empty_sentence = "Type a sentence above and press Enter, or pick an example."
    is_picture = True
    redraw_on: tuple[type[Event], ...] = ()  # its view marks it when there is another translation

    def __init__(self, theme: Theme, typed: TypedSentence) -> None:
        super().__init__(theme)
        self._typed = typed
        self._shown: Translation | None = None
        self.read_label = plain_label(role="muted")
        self.read_label.setWordWrap(True)
        self.read_label.setAccessibleName("Source as the encoder reads it")
        self.output_label = plain_label()
        self.output_label.setWordWrap(True)
        self.output_label.setAccessibleName("Translation")
        self.output_label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.cut_label = plain_label(role="error")
        self.cut_label.setWordWrap(True)
        self.table = _table()
        self.table.setItemDelegate(ProbabilityDelegate(theme))
        self.body.setSpacing(GRID // 2)
        for widget in (self.read_label, self.output_label, self.cut_label):
            self.body.addWidget(widget)
        self.body.addWidget(self.table, 1)

    def show_step(self, history: History, step: int) -> None:
        """Show the newest translation, whatever step its weights are of: the title says it."""
        translation = self._typed.translation
        if translation is None or translation.sentence is None:
            self._shown = None
            self.set_title(self.title)
            self.show_empty()
            return
        self.show_body()
        self.set_title(f"Translation · weights of step {translation.step:,}{self._nearest(translation)}")
        for label in (self.read_label, self.output_label):
            label.setFont(self.theme.token_font())
        self.table.verticalHeader().setDefaultSectionSize(self.theme.px(28))
        self._fit_columns()
        if translation is not self._shown:
            self._shown = translation
            self._show_texts(translation)
            self._show_tokens(translation.sentence.free_running)

    def numbers(self) -> Table:
        """A line for each token of the output and each candidate for its place, the chosen one first."""
        assert self._shown is not None and self._shown.sentence is not None
        lines = (
            (place, rank, token, probability)
            for place, candidates in enumerate(candidates_of(self._shown.sentence.free_running), 1)
            for rank, (token, probability) in enumerate(candidates, 1)
        )
        return [("place", "candidate", "token", "probability"), *lines]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """As many runners-up as can be read; the others show when there is room."""
        fitting = max(2, self.width() // self.theme.px(_NARROWEST))
        for column in range(len(_COLUMNS)):
            self.table.setColumnHidden(column, column >= fitting)

    def _nearest(self, translation: Translation) -> str:
        wanted = self._typed.asked_step
        return "" if wanted in (None, translation.step) else f" (the nearest kept before {wanted:,})"

    def _show_texts(self, translation: Translation) -> None:
        assert translation.sentence is not None
        self.read_label.setText(f"read as   {'  '.join(translation.sentence.src_tokens)}")
        self.output_label.setText(translation.output or "(nothing: <eos> came first)")
        num_tokens = len(translation.sentence.free_running.tgt_output)
        self.cut_label.setText(f"Cut off after {num_tokens} tokens: <eos> did not come.")
        self.cut_label.setVisible(not translation.finished)

    def _show_tokens(self, feed: Feed) -> None:
        self.table.setRowCount(len(feed.tgt_output))
        for row, candidates in enumerate(candidates_of(feed)):
            for column in range(len(_COLUMNS)):
                item = _item(*candidates[column]) if column < len(candidates) else None
                self.table.setItem(row, column, item or QTableWidgetItem())


def candidates_of(feed: Feed) -> Iterator[list[Candidate]]:
    """For each position the token that was written, then the more and less probable others, best first."""
    for place, chosen in enumerate(feed.tgt_output):
        top = zip(feed.top_tokens[place], feed.top_probability[place].tolist(), strict=True)
        others = [candidate for candidate in top if candidate[0] != chosen]
        yield [(chosen, float(feed.output_probability[place])), *others]


def _item(token: str, probability: float) -> QTableWidgetItem:
    item = QTableWidgetItem(token)
    item.setData(PROBABILITY, probability)
    item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{token}, probability {probability:.3f}")
    item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
    return item


def _table() -> QTableWidget:
    table = QTableWidget(0, len(_COLUMNS))
    table.setHorizontalHeaderLabels(_COLUMNS)
    table.setAccessibleName("Tokens with their probabilities and runners-up")
    table.setToolTip("Each row is one token of the output; the numbers are probabilities, 0 to 1")
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setTabKeyNavigation(False)  # Tab leaves the table; arrow keys walk in it
    table.setShowGrid(False)
    table.verticalHeader().hide()
    header = table.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setHighlightSections(False)
    return table
