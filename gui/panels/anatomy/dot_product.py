"""The topic of scaled dot-product attention, with the real numbers of one head, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from core.answers.anatomy import DotProduct
from core.answers.head_ablation import HeadId
from core.events import Prepared, ProbeDone
from core.history import History
from core.probes import ProbedSentence
from core.requests import DissectHead
from gui.context import Context
from gui.heads.ablation_text import head_names
from gui.panel import Table
from gui.panels.anatomy.attention_stages import STAGES, Stage
from gui.panels.anatomy.matrix_canvas import MatrixCanvas
from gui.panels.anatomy.topic import Topic
from gui.panels.attention.head_chooser import HeadChooser
from gui.sentences.engine_query import EngineQuery
from gui.sentences.shown_sentence import NothingShown, shown_sentence
from gui.theme import GRID
from gui.widgets.buttons import button
from gui.widgets.combo_boxes import SentenceCombo, set_items
from gui.widgets.labels import plain_label
from gui.widgets.token_font import TokenFont


class DotProductTopic(Topic):
    """Inputs on the left, the result on the right; pointing at a number of the result shows what made it."""

    title = "Dot-product attention"
    about = (
        "The heart of the model, with the numbers of one of its heads at the playhead, from left to right. Rows read "
        "from columns; a row of the decoder is named by the token it has just read, and predicts the next. Orange is "
        "positive, blue negative; weights, from 0 to 1, are only blue."
    )
    equation = (
        "Attention(<i>Q</i>, <i>K</i>, <i>V</i>) = "
        "softmax(<i>Q K</i><sup>T</sup> / √<i>d</i><sub><i>k</i></sub>) <i>V</i>"
    )
    paper = "section 3.2.1"
    empty_sentence = "Choose a dataset in Setup: a head of its model is computed here, stage by stage."
    functions = ("core.model.attention:attention_weights", "core.model.attention:MultiHeadAttention")
    redraw_on = (Prepared, ProbeDone)

    def __init__(self, context: Context) -> None:
        super().__init__(context.theme)
        self.query: EngineQuery[DotProduct] = EngineQuery(context.bridge, self)
        self._selection, self._follower = context.selection, context.follower
        self._cell = (0, 0)
        self.sentence_combo = SentenceCombo()
        self.chooser = HeadChooser(context.theme, context.selection, has_lines=False, can_pool=False)
        self.stage_buttons = [_stage_button(index, stage) for index, stage in enumerate(STAGES)]
        self.stage_label = plain_label(wraps=True)
        self.canvases = [MatrixCanvas(context.theme) for _ in range(3)]
        self._group = QButtonGroup(self)
        self._lay_out()
        self._connect()

    @property
    def stage(self) -> Stage:
        """The shown stage."""
        return STAGES[self._group.checkedId()]

    def show_step(self, history: History, step: int) -> None:
        """Draw the chosen head with the weights kept at or before `step`; ask for it if it is not the newest answer."""
        shown = shown_sentence(self._selection, history, step)
        reason = self._follower.why_no_model
        if reason or isinstance(shown, NothingShown):
            self.show_empty(reason or (shown.reason if isinstance(shown, NothingShown) else ""))
            return
        set_items(self.sentence_combo, [(sentence, None) for sentence in history.probes.sentences])
        self.sentence_combo.setCurrentText(shown.sentence.source)
        self._ask(history, step, shown.sentence)
        if self.query.answer is None:
            self.show_empty(self.query.error or "Computing …")
        else:
            self.show_body()
            self._draw(self.query.answer)

    def numbers(self) -> Table:
        """The result of the shown stage."""
        assert self.query.answer is not None
        return self.stage.matrices(self.query.answer)[-1].table()

    def _ask(self, history: History, step: int, sentence: ProbedSentence) -> None:
        chosen = self._selection.chosen
        request = DissectHead(
            source=sentence.source,
            reference=None if self._selection.runs_free(sentence) else sentence.reference,
            kind=chosen.kind,
            layer=chosen.layer,
            head=chosen.head,
            step=None if step >= history.last_step else step,
        )
        self.query.submit(request, moment=history.last_step if request.step is None else None)

    def _draw(self, seen: DotProduct) -> None:
        head = head_names((HeadId(seen.kind, seen.layer, seen.head),))
        self.set_title(f"{self.title} · {head} · weights of step {seen.step:,}")
        parts, stage = self.stage.matrices(seen), self.stage
        rows, columns = parts[-1].values.shape
        self._cell = row, column = min(self._cell[0], rows - 1), min(self._cell[1], columns - 1)
        marks = stage.marked_cells(row, column)
        *left, result = zip(self._canvases_for(len(parts)), parts, marks, strict=True)
        names = tuple(name for _, matrix, _ in left for name in matrix.rows)
        for canvas, matrix, mark in left:
            canvas.show_matrix(matrix, mark, names)
        canvas, matrix, mark = result
        canvas.show_matrix(matrix, mark)
        self.stage_label.setText(stage.about)
        self.readout_label.setText(stage.explain(seen, row, column))
        canvas.setAccessibleDescription(self.readout_label.text())

    def _canvases_for(self, count: int) -> list[MatrixCanvas]:
        """The canvases for two or three matrices: one or two small ones on the left, and the large one."""
        first, second, result = self.canvases
        second.setVisible(count == 3)
        return self.canvases if count == 3 else [first, result]

    def _show_cell(self, row: int, column: int) -> None:
        self._cell = (row, column)
        self._draw_answer()

    def _draw_answer(self) -> None:
        if self.query.answer is not None:
            self._draw(self.query.answer)

    def _lay_out(self) -> None:
        sentence = ("sentence", self.sentence_combo, "One of the sentences that this run follows")
        self.add_controls(sentence, more=tuple(self._stages()))
        self.chooser.scale_box.hide()
        self.body.insertWidget(self.body.indexOf(self.controls), self.chooser)
        self.body.insertWidget(self.body.indexOf(self.scroll_area), self.stage_label)
        first, second, result = self.canvases
        sides = QHBoxLayout()
        sides.setSpacing(GRID)
        self.picture.addLayout(sides, 1)
        left = QVBoxLayout()
        sides.addLayout(left, 2)
        left.addWidget(first, 1)
        left.addWidget(second, 1)
        sides.addWidget(result, 3)
        self.readout_label.setToolTip("The marked number, worked out; point at another, or use the arrow keys")

    def _stages(self) -> Iterator[QWidget]:
        """The stage buttons, each after the first with an arrow before it."""
        for index, stage_button in enumerate(self.stage_buttons):
            self._group.addButton(stage_button, index)
            yield _after_arrow(stage_button) if index else stage_button
        self.stage_buttons[1].setChecked(True)

    def _connect(self) -> None:
        self.sentence_combo.textActivated.connect(lambda text: self._selection.choose(sentence=text))
        self._group.idClicked.connect(self._draw_answer)
        self.canvases[-1].pointed.connect(self._show_cell)
        self.chooser.add_shortcuts(self)
        TokenFont(self.theme, self.sentence_combo)


def _after_arrow(stage_button: QPushButton) -> QWidget:
    made = QWidget()
    row = QHBoxLayout(made)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(GRID // 2)
    row.addWidget(plain_label("→", role="muted"))
    row.addWidget(stage_button)
    return made


def _stage_button(index: int, stage: Stage) -> QPushButton:
    made = button(f"{index + 1} {stage.name}", stage.about, role="flat")
    made.setCheckable(True)
    return made
