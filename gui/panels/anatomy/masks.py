"""The topic of masks: which positions each position of a typed, padded sentence may attend to."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QLineEdit

from core.answers.anatomy import MAX_PADDING, BoolArray, Masks
from core.history import History
from core.requests import MakeMasks
from gui.context import Context
from gui.panel import Table
from gui.panels.anatomy.matrix_canvas import Matrix, MatrixCanvas
from gui.panels.anatomy.topic import Topic
from gui.sentences.engine_query import EngineQuery
from gui.sentences.tokens import quoted
from gui.widgets.labels import plain_label
from gui.widgets.spin_boxes import IntegerSpinBox

_ALLOWED = np.float32(0.35)  # a calm colour on the scale of weights


class MasksTopic(Topic):
    """Three maps side by side: the padding mask and the causal mask combine to the decoder's."""

    title = "Masks"
    about = (
        "Sentences of a batch are padded to one length, and no token may read the padding. The decoder learns all "
        "positions of a target at once, so each may read only itself and what comes before it; otherwise it would see "
        "the token that it has to predict. Rows read from columns; hatched is hidden."
    )
    equation = "may read(<i>t</i>, <i>s</i>) = token <i>s</i> is not padding  and  <i>s</i> ≤ <i>t</i>"
    paper = "sections 3.1 and 3.2.3"
    functions = (
        *("core.model.masks:padding_mask", "core.model.masks:causal_mask", "core.model.masks:target_mask"),
        "core.model.attention:attention_weights",
    )

    def __init__(self, context: Context) -> None:
        super().__init__(context.theme)
        self.query: EngineQuery[Masks] = EngineQuery(context.bridge, self)
        self._follower = context.follower
        self.target_edit, self.padding_spin = QLineEdit(), IntegerSpinBox(context.theme)
        self.canvases = [MatrixCanvas(context.theme) for _ in range(3)]
        self._offered = ""  # the sentence that we put into the field
        self._cell = (0, 0)
        self.padding_spin.setRange(0, MAX_PADDING)
        self.padding_spin.setValue(2)
        self._lay_out()
        self._connect()

    @property
    def is_empty(self) -> bool:
        """Whether there are no masks. The body stays visible even then, so that the user can correct the sentence."""
        return super().is_empty or self.query.answer is None

    def show_step(self, history: History, step: int) -> None:
        """Draw the masks of the sentence in the field: at first a target of this run."""
        reason = self._follower.why_no_model
        if reason or history.prepared is None:
            self.show_empty(reason or "Choose a dataset in Setup: masks are made of its tokens.")
            return
        self.show_body()
        self._fill_target(history)
        request = MakeMasks(target=self.target_edit.text(), num_padding=self.padding_spin.value())
        self.query.submit(request)
        self.content.setVisible(self.query.answer is not None)
        if self.query.answer is None:
            self.readout_label.setText(self.query.error or "Computing …")
        else:
            self._draw(self.query.answer)

    def numbers(self) -> Table:
        """A row for each pair of positions, counted from 0; 1 means that the first may attend to the second."""
        masks = self.query.answer
        assert masks is not None
        parts = (masks.padding, masks.causal, masks.both)
        pairs = np.ndindex(masks.both.shape)
        lines = (
            [*pair, *(masks.tokens[index] for index in pair), *(int(part[pair]) for part in parts)] for pair in pairs
        )
        return [["reader", "read", "reader_token", "read_token", "padding", "causal", "both"], *lines]

    def _fill_target(self, history: History) -> None:
        probe = history.probes.newest()
        references = [one.reference for one in probe.sentences if one.reference] if probe is not None else []
        if references and self.target_edit.text() == self._offered != references[0]:
            self._offered = references[0]
            self.target_edit.setText(self._offered)
            self.target_edit.setCursorPosition(0)

    def _draw(self, masks: Masks) -> None:
        size = len(masks.tokens) - 1
        row, column = self._cell = min(self._cell[0], size), min(self._cell[1], size)
        titles = ("padding mask", "causal mask", "both: the decoder's self-attention")
        for canvas, title, allowed in zip(
            self.canvases, titles, (masks.padding, masks.causal, masks.both), strict=True
        ):
            canvas.show_matrix(_matrix(title, masks.tokens, allowed), (row, column))
            canvas.setAccessibleDescription(explain(masks, row, column))
        self.readout_label.setText(explain(masks, row, column))

    def _show_cell(self, row: int, column: int) -> None:
        self._cell = (row, column)
        if self.query.answer is not None:
            self._draw(self.query.answer)

    def _lay_out(self) -> None:
        self.target_edit.setPlaceholderText("Type a target sentence")
        self.add_controls(
            ("sentence", self.target_edit, "A target sentence, cut by the dataset's own tokenizer"),
            ("padding", self.padding_spin, "Padding tokens after it, as in a batch with longer sentences"),
        )
        row = QHBoxLayout()
        self.picture.addLayout(row, 1)
        for sign, canvas in zip(("", "and", "="), self.canvases, strict=True):
            if sign:
                row.addWidget(plain_label(sign, role="title"))
            row.addWidget(canvas, 1)

    def _connect(self) -> None:
        self.target_edit.textChanged.connect(self.mark_dirty)
        self.padding_spin.valueChanged.connect(self.mark_dirty)
        for canvas in self.canvases:
            canvas.pointed.connect(self._show_cell)
        self.theme.changed.connect(self._apply_token_font)
        self._apply_token_font()

    def _apply_token_font(self) -> None:
        self.target_edit.setFont(self.theme.token_font())
        self.target_edit.setMinimumWidth(self.theme.px(280))


def explain(masks: Masks, row: int, column: int) -> str:
    """Whether one position may attend to another, and if not, why; what padding itself computes is never used."""
    reader = f"Position {row} ({quoted(masks.tokens[row])})"
    read = f"position {column} ({quoted(masks.tokens[column])})"
    if masks.both[row, column]:
        unused = "" if masks.padding[row, row] else ", but no token reads padding, and the loss leaves it out"
        return f"{reader} may read {read}{unused}."
    reasons = [] if masks.padding[row, column] else ["it is padding"]
    reasons += [] if masks.causal[row, column] else ["it comes later"]
    return f"{reader} may not read {read}: {' and '.join(reasons)}."


def _matrix(title: str, tokens: tuple[str, ...], allowed: BoolArray) -> Matrix:
    return Matrix(title, allowed * _ALLOWED, tokens, tokens, hidden=~allowed, decimals=None)
