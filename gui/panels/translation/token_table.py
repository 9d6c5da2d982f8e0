"""The translation of the typed sentence, token by token: the probability of each, and its runners-up."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QTableView

from core.answers.translation import Translation
from core.history import History
from gui.panel import Panel, Table
from gui.panels.translation.candidate_table import CandidateTable, candidates_of
from gui.pictures.whole_table import whole_table
from gui.sentences.divergence import NOT_A_NUMBER, has_diverged
from gui.sentences.output_position import OutputPosition
from gui.sentences.tokens import quoted
from gui.sentences.typed_sentence import TypedSentence
from gui.theme import GRID, Theme
from gui.widgets.buttons import IconButton, button, enable_or_release
from gui.widgets.labels import plain_label, wrapping_label
from gui.widgets.scrolling_page import least_height
from gui.widgets.token_font import TokenFont

_MIN_HEIGHT = 300  # pixels at 100 %: the height at which the tokens can still be read


class TokenTable(Panel):
    """One row per token. Buttons step through the output; choosing another token has the model continue from it."""

    title = "Translation"
    empty_sentence = "Type a sentence above and press Enter, or pick an example."
    is_picture = True
    redraw_on = ()  # its view marks it when there is a new translation

    def __init__(self, theme: Theme, typed: TypedSentence, position: OutputPosition) -> None:
        super().__init__(theme)
        self._typed, self._position = typed, position
        self._shown: Translation | None = None
        self.first_button = IconButton(theme, "first", "First token", "Only the first token")
        self.back_button = IconButton(theme, "previous", "One token back", "One token back (Up in the table)")
        self.forward_button = IconButton(theme, "next", "One token forward", "One token forward (Down in the table)")
        self.last_button = IconButton(theme, "last", "Whole output", "The whole output")
        self.position_label = plain_label(role="muted")
        self.tokens_label = wrapping_label("Source as the encoder reads it", role="muted")
        self.output_label = wrapping_label("Translation")
        self.output_label.setTextFormat(Qt.TextFormat.RichText)  # to dim what is to come; tokens are escaped
        self.output_label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.cut_label = wrapping_label("About its end", role="error")
        self.table = CandidateTable(theme)
        self.readout_label = wrapping_label("The token at this place", role="muted")
        self.undo_button = button(
            "As the model writes", "Undo the chosen tokens: the model writes the whole output again"
        )
        TokenFont(theme, self.tokens_label, self.output_label, self.readout_label)
        self._lay_out()
        self._connect()

    def show_step(self, history: History, step: int) -> None:
        """Show the newest translation, whatever step its weights are from; the title names it."""
        translation = self._typed.translation
        self.undo_button.setVisible(bool(self._typed.prefix))
        if translation is None or translation.sentence is None:
            self._shown = None
            self.show_empty(self._typed.pending_reason)
            return
        self.show_body()
        self.set_title(f"Translation · weights of step {translation.step:,}{self._nearest(translation)}")
        if translation is not self._shown:
            if self._shown is None or translation.source != self._shown.source:
                self.table.scrollToTop()
            self._shown = translation
            self.tokens_label.setText(f"read as   {'  '.join(translation.sentence.src_tokens)}")
            self.table.show_feed(translation.sentence.free_running, len(translation.prefix))
        self.table.fit_columns()
        self._show_position()

    def minimumSizeHint(self) -> QSize:
        """Includes the height that the texts need at this width, since a splitter ignores height for width."""
        around = self.height() - self.content.height()
        needed = around + least_height(self.body, self.content.width())
        return QSize(super().minimumSizeHint().width(), max(needed, self.theme.px(_MIN_HEIGHT)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def numbers(self) -> Table:
        """A row for each candidate at each position of the output, the chosen token first."""
        assert self._shown is not None and self._shown.sentence is not None
        lines = (
            (index, rank, token, probability)
            for index, candidates in enumerate(candidates_of(self._shown.sentence.free_running), 1)
            for rank, (token, probability) in enumerate(candidates, 1)
        )
        return [("place", "candidate", "token", "probability"), *lines]

    def export_widgets(self) -> tuple[QTableView]:
        """The table with all its rows and runners-up."""
        return (whole_table(self.table),)

    def _nearest(self, translation: Translation) -> str:
        wanted = self._typed.translated_step
        return "" if wanted in (None, translation.step) else f" (the nearest kept step before {wanted:,})"

    def _show_position(self) -> None:
        """Show the output as far as the viewed position."""
        if self._shown is None or self._shown is not self._typed.translation:
            return  # the position belongs to a newer output, which is drawn next
        index, count = self._position.index, self._position.count
        self.position_label.setText(f"{index + 1}/{count}")
        why_not_back = "" if index > 0 else "This is the first token"
        why_not_forward = "" if index < count - 1 else "This is the last token"
        for move, why_not in (
            (self.first_button, why_not_back),
            (self.back_button, why_not_back),
            (self.forward_button, why_not_forward),
            (self.last_button, why_not_forward),
        ):
            enable_or_release(move, why_not, to=self.table)
        self.table.show_position(index, is_chosen=self._position.is_chosen)
        self.output_label.setText(self._output(self._shown))
        self.cut_label.setText(f"Cut off after {count} token{'s' * (count != 1)}: no <eos> was written.")
        self.cut_label.setVisible(not self._shown.finished and self._position.is_last)
        self.readout_label.setText(explain_token(self._shown, index))

    def _output(self, translation: Translation) -> str:
        if self._position.is_last:
            return escape(translation.output or "(nothing: <eos> came first)", quote=False)
        assert translation.sentence is not None
        tokens = [escape(token, quote=False) for token in translation.sentence.free_running.tgt_output]
        written, to_come = tokens[: self._position.index + 1], tokens[self._position.index + 1 :]
        return f'{" ".join(written)} <span style="color:{self.theme.colours.muted}">{" ".join(to_come)}</span>'

    def _pick(self, row: int, token: str) -> None:
        if self._shown is not None and self._shown.sentence is not None:
            self._position.go_to_last()
            self._typed.continue_from((*self._shown.sentence.free_running.tgt_output[:row], token))

    def _lay_out(self) -> None:
        self.body.addWidget(self.tokens_label)
        row = QHBoxLayout()
        row.setSpacing(0)
        for move in (self.first_button, self.back_button, self.position_label, self.forward_button, self.last_button):
            row.addWidget(move)
        row.addSpacing(GRID)
        row.addWidget(self.output_label, 1)
        self.body.addLayout(row)
        self.body.addWidget(self.cut_label)
        self.body.addWidget(self.table, 1)
        foot = QHBoxLayout()
        foot.addWidget(self.readout_label, 1)
        foot.addWidget(self.undo_button, 0, Qt.AlignmentFlag.AlignBottom)
        self.body.addLayout(foot)

    def _connect(self) -> None:
        position = self._position
        self.first_button.clicked.connect(lambda: position.go_to(0))
        self.back_button.clicked.connect(lambda: position.go_to(position.index - 1))
        self.forward_button.clicked.connect(lambda: position.go_to(position.index + 1))
        self.last_button.clicked.connect(position.go_to_last)
        self.table.row_reached.connect(position.go_to)
        self.table.picked.connect(self._pick)
        self.undo_button.clicked.connect(lambda: self._typed.continue_from(()))
        position.moved.connect(self._show_position)


def explain_token(translation: Translation, index: int) -> str:
    """Why the token at this position was written, in words."""
    assert translation.sentence is not None
    feed = translation.sentence.free_running
    if has_diverged(feed):
        return NOT_A_NUMBER
    (chosen, probability), *others = list(candidates_of(feed))[index]
    token, share = others[0]
    after = f"After {quoted(feed.tgt_input[index])}"
    if index < len(translation.prefix) and chosen != feed.predicted[index]:
        return (
            f"{after} you chose {quoted(chosen)} ({probability:.3f}); the model's first choice is "
            f"{quoted(feed.predicted[index])}."
        )
    other = f"{quoted(token)} ({share:.3f})"
    return f"{after} comes {quoted(chosen)} ({probability:.3f}), not {other}. Click another to continue from it."
