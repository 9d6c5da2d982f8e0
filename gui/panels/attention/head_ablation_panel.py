"""The panel that shows the output and the loss of the shown sentence without the heads that are switched off."""

from __future__ import annotations

from difflib import SequenceMatcher
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy

from core.answers.head_ablation import HeadAblation
from core.events import Prepared, ProbeDone
from core.history import History
from core.probes import ProbedSentence
from core.requests import LeaveOutHeads
from gui.context import Context
from gui.heads.ablation_text import (
    describe_change,
    formatted_changes,
    formatted_measurements,
    head_names,
    measurements,
    output_tokens,
)
from gui.heads.disabled_heads import DisabledHeads
from gui.panel import Panel, Table
from gui.sentences.divergence import NOT_A_NUMBER, has_diverged
from gui.sentences.engine_query import EngineQuery
from gui.sentences.shown_sentence import NothingShown, shown_sentence
from gui.theme import GRID
from gui.widgets.buttons import button
from gui.widgets.labels import literal_tooltip, plain_label, wrapping_label
from gui.widgets.token_font import TokenFont

_COLUMNS = (
    ("output, free-running", "What the model writes by itself; marked: what differs without these heads"),
    (
        "probability",
        "Of the whole output beside it, according to the same model: the product over its tokens, including <eos>",
    ),
    ("loss of the reference, nats/token", "Of this sentence's reference, teacher-forced, <eos> counted"),
    (
        "loss of validation pairs, nats/token",
        "Of the first pairs of the validation split, teacher-forced, <eos> counted",
    ),
)
_ROWS = ("all heads on", "without", "change")


class HeadAblationPanel(Panel):
    """Asks the engine with the weights at the playhead, and again when these change; hidden while no head is off."""

    title = "Without some heads"
    empty_sentence = "Computing …"
    redraw_on = (Prepared, ProbeDone)
    is_picture = True

    def __init__(self, context: Context, disabled_heads: DisabledHeads) -> None:
        super().__init__(context.theme)
        self.query: EngineQuery[HeadAblation] = EngineQuery(context.bridge, self)
        self._disabled_heads = disabled_heads
        self._selection = context.selection
        self.all_on_button = button("All heads on again", "Switch all heads on again, and close this")
        self.cells = [[_cell() for _ in _COLUMNS] for _ in _ROWS]
        self.summary_label = wrapping_label("What the figures say", role="muted")
        self._heads = [plain_label(name, role="muted") for name, _ in _COLUMNS]
        self._lay_out()
        self.all_on_button.clicked.connect(disabled_heads.enable_all)
        TokenFont(self.theme, *(output for output, *_ in self.cells[:2]))

    def show_step(self, history: History, step: int) -> None:
        """Draw the answer for the weights kept at or before `step`, and ask for it if it is not the newest answer."""
        shown = shown_sentence(self._selection, history, step)
        if isinstance(shown, NothingShown):
            self.show_empty(shown.reason)
            return
        self._ask(history, step, shown.sentence)
        answer = self.query.answer
        if answer is None or answer.complete.sentence.source != shown.sentence.source:
            self.show_empty(self.query.error)
        elif has_diverged(answer.complete.sentence.free_running):
            self.show_empty(NOT_A_NUMBER)
        else:
            self.show_body()
            self._draw(answer)

    def numbers(self) -> Table:
        """The figures with all heads, and without those that are off."""
        assert self.query.answer is not None
        ablation = self.query.answer
        rows = zip(_ROWS, (ablation.complete, ablation.without), strict=False)
        names = ("output", "probability", "loss of the reference, nats per token", "validation loss, nats per token")
        return [("", *names), *((name, seen.sentence.output, *measurements(seen)) for name, seen in rows)]

    def _ask(self, history: History, step: int, sentence: ProbedSentence) -> None:
        request = LeaveOutHeads(
            source=sentence.source,
            reference=sentence.reference,
            heads=tuple(sorted(self._disabled_heads.heads)),
            step=None if step >= history.last_step else step,
        )
        self.query.submit(request, moment=history.last_step if request.step is None else None)

    def _draw(self, ablation: HeadAblation) -> None:
        self.set_title(f"Without {head_names(ablation.heads)} · weights of step {ablation.step:,}")
        num_valid = ablation.num_valid
        count = f"{num_valid} " if num_valid else ""
        self._heads[-1].setText(f"loss of {count}validation pair{'s' * (num_valid != 1)}, nats/token")
        before, after = ablation.complete, ablation.without
        for row, seen in zip(self.cells, (before, after), strict=False):
            for cell, text in zip(row[1:], formatted_measurements(seen), strict=True):
                cell.setText(text)
        self.cells[0][0].setText(escape(" ".join(output_tokens(before))) or "(nothing)")
        self.cells[1][0].setText(self._marked(output_tokens(before), output_tokens(after)))
        for (output, *_), seen in zip(self.cells, (before, after), strict=False):
            output.setToolTip(literal_tooltip(" ".join(output_tokens(seen))))  # it may be cut
        for cell, text in zip(self.cells[2], formatted_changes(before, after), strict=True):
            cell.setText(text)
        self.summary_label.setText(describe_change(ablation))

    def _marked(self, before: tuple[str, ...], after: tuple[str, ...]) -> str:
        """Rich text in which the tokens that differ are coloured and underlined."""
        words = [escape(token) for token in after]
        for what, _, _, first, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if what != "equal":
                style = f"color:{self.theme.colours.bad}; text-decoration:underline"
                words[first:end] = [f'<span style="{style}">{word}</span>' for word in words[first:end]]
        return " ".join(words) or "(nothing)"

    def _lay_out(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)  # higher where headings wrap
        self.header.addWidget(self.all_on_button)
        grid = QGridLayout()
        grid.setHorizontalSpacing(3 * GRID)
        grid.setVerticalSpacing(GRID // 2)
        grid.setColumnStretch(1, 1)
        for column, (head, (_, help)) in enumerate(zip(self._heads, _COLUMNS, strict=True), 1):
            head.setToolTip(help)
            head.setWordWrap(column > 1)  # the first column is wide enough
            grid.addWidget(head, 0, column, _alignment(column))
        for row, (name, cells) in enumerate(zip(_ROWS, self.cells, strict=True), 1):
            grid.addWidget(plain_label(name, role="muted"), row, 0)
            for column, (cell, (what, help)) in enumerate(zip(cells, _COLUMNS, strict=True), 1):
                cell.setAccessibleDescription(f"{what}, {name}")
                cell.setToolTip(help)
                grid.addWidget(cell, row, column, _alignment(column))
        for output, *_ in self.cells[:2]:
            output.setTextFormat(Qt.TextFormat.RichText)  # for the marks; tokens are escaped
        self.body.addLayout(grid)
        self.body.addWidget(self.summary_label)


def _cell() -> QLabel:
    made = plain_label(is_copyable=True)
    made.setMinimumWidth(1)  # a long sentence is cut and does not widen the window
    return made


def _alignment(column: int) -> Qt.AlignmentFlag:
    """The alignment of a column: left for the output, right for figures."""
    return Qt.AlignmentFlag.AlignLeft if column == 1 else Qt.AlignmentFlag.AlignRight
