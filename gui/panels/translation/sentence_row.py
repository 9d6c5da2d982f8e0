"""The sentence row: the chosen sentence, its reference, and the model's free-running output at this step."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget
from shiboken6 import isValid

from core.events import Prepared, ProbeDone
from core.history import History
from core.probes import ProbedSentence
from gui.context import Context
from gui.panel import Panel
from gui.sentences.long_text import allow_long_text
from gui.sentences.selection import Selection
from gui.sentences.shown_sentence import NothingShown, Shown, shown_sentence
from gui.sentences.tokens import first_difference, without_eos
from gui.theme import GRID, Theme
from gui.widgets.buttons import IconButton, button, enable_or_release, set_enabled
from gui.widgets.dynamic_labels import ElidedLabel
from gui.widgets.escapable_edit import EscapableEdit
from gui.widgets.labels import literal_tooltip, plain_label, set_role
from gui.widgets.token_font import TokenFont

_UNKNOWN = "All words that are not in the training data are read as the same token, <unk>"
_ADD_HELP = "Enter follows this sentence as the model learns; Esc cancels"
Label = TypeVar("Label", bound=QLabel)


class SentenceRow(Panel):
    """`sentence_added` carries a sentence the user typed, for the probes to follow from then on."""

    title = "Sentence"
    empty_sentence = "The first sentences appear here as soon as the data are prepared."
    redraw_on = (ProbeDone, Prepared)
    sentence_added = Signal(str)
    _context: Context  # set by `follow_in`

    def __init__(self, theme: Theme, selection: Selection) -> None:
        super().__init__(theme)
        self._selection = selection
        self._sentences: tuple[str, ...] = ()
        self._focused_before: QWidget | None = None  # had the focus before `add_edit` was opened
        self.previous_button = IconButton(theme, "previous", "Previous sentence", "Previous sentence ([)")
        self.next_button = IconButton(theme, "next", "Next sentence", "Next sentence (])")
        self.position_label = plain_label(role="muted")
        self.source_label = _token_label(ElidedLabel(), "Source")
        self.tokens_label = _token_label(ElidedLabel(role="error"), "As the model reads it")
        self.reference_label = _token_label(ElidedLabel(), "Reference")
        self.output_label = _token_label(QLabel(), "Free run")
        self.output_label.setTextFormat(Qt.TextFormat.RichText)  # for the marks; tokens are escaped
        self.output_label.setMinimumWidth(1)  # a long sentence is cut (its tooltip has all) and stretches no window
        self.verdict_label = plain_label(role="error")
        self.add_button = button("+ my sentence", "Follow a sentence of your own through the training")
        self.add_edit = EscapableEdit("My sentence", "Type a sentence and press Enter", _ADD_HELP)
        self._source_box = QWidget()  # the source; hidden while `add_edit` is open in its place
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._lay_out()
        self._connect()
        TokenFont(theme, self.source_label, self.tokens_label, self.reference_label, self.output_label)

    def show_step(self, history: History, step: int) -> None:
        """Draw the chosen sentence as the model saw it at `step`."""
        self._sentences = history.probes.sentences
        self._allow_stepping()
        shown = shown_sentence(self._selection, history, step)
        self._show_unknown(shown)
        if not self._sentences:
            self.position_label.setText("")
            self.source_label.setText("")
            self.show_empty(shown.reason if isinstance(shown, NothingShown) else "")
            return
        self.show_body()
        index = self._selection.sentence_index(self._sentences)
        self.position_label.setText(f"{index + 1}/{len(self._sentences)}")
        self.source_label.setText(self._sentences[index])
        if isinstance(shown, NothingShown):
            self._show_reason(shown.reason)
        else:
            self._show_sentence(shown.sentence)

    def follow_in(self, context: Context) -> None:
        """Have this window's run follow the sentences typed here, while it can."""
        self._context = context
        self.sentence_added.connect(partial(context.follow_sentence, on_refused=self.restore_text))
        context.follower.changed.connect(self._allow_adding)
        context.bridge.state_changed.connect(self._allow_adding)
        self._allow_adding()

    def restore_text(self, text: str) -> None:
        """Put a refused sentence back into the field, to be corrected, unless another is already typed there."""
        if not self.add_edit.text():
            self.add_edit.setText(text)
            self._open_edit()

    def show_next(self) -> None:
        self._selection.step_sentence(self._sentences, 1)

    def show_previous(self) -> None:
        self._selection.step_sentence(self._sentences, -1)

    def _allow_adding(self) -> None:
        reason = self._context.why_not_follow_sentence
        set_enabled(self.add_button, reason)
        if reason:
            self._hide_edit()

    def _allow_stepping(self) -> None:
        reasons = {0: "There are no sentences yet", 1: "This is the only sentence"}
        for move in (self.previous_button, self.next_button):
            enable_or_release(move, reasons.get(len(self._sentences), ""))

    def _show_unknown(self, shown: Shown) -> None:
        """Show the tokens that the model reads, if some are unknown to it and read as <unk>."""
        tokens = () if isinstance(shown, NothingShown) else shown.sentence.src_tokens
        has_unknown = "<unk>" in tokens
        self.tokens_label.setText(f"read as {' '.join(without_eos(tokens))}" if has_unknown else "")
        self.tokens_label.setToolTip(literal_tooltip(f"{self.tokens_label.text()}\n{_UNKNOWN}"))
        self.tokens_label.setVisible(has_unknown)

    def _show_reason(self, reason: str) -> None:
        self.reference_label.setText("")
        self._write_output(escape(reason), reason)
        self._show_verdict("", "good")

    def _show_sentence(self, sentence: ProbedSentence) -> None:
        self.reference_label.setText(
            sentence.reference if sentence.reference is not None else "none (a typed sentence)"
        )
        self._show_output(sentence)

    def _show_output(self, sentence: ProbedSentence) -> None:
        output = without_eos(sentence.free_running.tgt_output)
        if sentence.by_reference is None:
            self._write_output(escape(" ".join(output)), " ".join(output))
            self.verdict_label.setText("")
            return
        reference = without_eos(sentence.by_reference.tgt_output)
        colour = self.theme.colours.bad
        words = [
            escape(token)
            if index < len(reference) and reference[index] == token
            else f'<span style="color:{colour}; text-decoration:underline">{escape(token)}</span>'
            for index, token in enumerate(output)
        ]
        self._write_output(" ".join(words), " ".join(output))
        wrong = first_difference(reference, output)
        self._show_verdict(
            "✓ right" if wrong is None else f"✗ from token {wrong + 1} on", "good" if wrong is None else "error"
        )

    def _write_output(self, marked: str, text: str) -> None:
        self.output_label.setText(marked or "(nothing)")
        self.output_label.setToolTip(literal_tooltip(text))

    def _show_verdict(self, verdict: str, role: str) -> None:
        self.verdict_label.setText(verdict)
        set_role(self.verdict_label, role)

    def _lay_out(self) -> None:
        allow_long_text(self.add_edit)
        self.add_edit.hide()
        self.header.takeAt(1)  # the header's stretch: the source, or the field in its place, takes the free room
        for widget in (self.previous_button, self.position_label, self.next_button):
            self.header.addWidget(widget)
        chosen = QHBoxLayout(self._source_box)
        chosen.setContentsMargins(0, 0, 0, 0)
        chosen.setSpacing(GRID)
        chosen.addWidget(self.source_label)
        chosen.addWidget(self.tokens_label)
        chosen.addStretch(1)
        self.tokens_label.hide()
        self.header.addWidget(self._source_box, 1)
        self.header.addWidget(self.add_edit, 1)
        self.header.addWidget(self.add_button)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(GRID // 2)
        for row, (name, label) in enumerate((("reference", self.reference_label), ("free run", self.output_label))):
            grid.addWidget(plain_label(name, role="muted"), row, 0)
            grid.addWidget(label, row, 1)
        grid.addWidget(self.verdict_label, 1, 2)
        grid.setColumnStretch(3, 1)
        self.body.addLayout(grid)

    def _connect(self) -> None:
        self.previous_button.clicked.connect(self.show_previous)
        self.next_button.clicked.connect(self.show_next)
        self.add_button.clicked.connect(self._toggle_edit)
        self.add_edit.returnPressed.connect(self._add)
        self.add_edit.escaped.connect(self._cancel_edit)

    def _toggle_edit(self) -> None:
        if self.add_edit.isVisible():
            self._close_edit()
        else:
            self._open_edit()
            self.add_edit.selectAll()

    def _open_edit(self) -> None:
        self._focused_before = self.window().focusWidget()
        self._source_box.hide()
        self.add_edit.show()
        self.add_edit.setFocus()

    def _add(self) -> None:
        text = self.add_edit.text().strip()
        if text:
            self.add_edit.clear()
            self._close_edit()
            self.sentence_added.emit(text)

    def _cancel_edit(self) -> None:
        """Close the field and give the focus back; the typed text stays for the next time."""
        self._close_edit()
        if self._focused_before is not None and isValid(self._focused_before):  # an option form may have been deleted
            self._focused_before.setFocus()

    def _close_edit(self) -> None:
        self.add_edit.clearFocus()  # else Qt gives it to a button, and Space does not reach Learn
        self._hide_edit()

    def _hide_edit(self) -> None:
        self.add_edit.hide()
        self._source_box.show()


def _token_label(label: Label, what: str) -> Label:
    label.setAccessibleDescription(what)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
