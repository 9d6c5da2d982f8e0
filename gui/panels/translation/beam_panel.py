"""The panel that compares greedy decoding with a beam search, drawn as a tree."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from core.answers.beam_tree import BeamTree
from core.history import History
from core.requests import SearchBeam
from gui.bridge import EngineBridge
from gui.panel import Panel, Table
from gui.panels.translation.beam_canvas import BeamCanvas, BeamScrollArea
from gui.sentences.beam_text import describe_beam, describe_node, outputs_table
from gui.sentences.engine_query import EngineQuery
from gui.sentences.typed_sentence import TypedSentence
from gui.theme import GRID, Theme
from gui.widgets.dynamic_labels import StableHeightLabel
from gui.widgets.flow_layout import FlowLayout, with_label
from gui.widgets.labels import wrapping_label
from gui.widgets.spin_boxes import DecimalSpinBox, IntegerSpinBox
from gui.widgets.token_font import TokenFont

_LEGEND = (
    "Blue: the beam's best output. Dashed: the greedy one where it differs. ✗ cut, ✓ ended. The more probable a "
    "token, the stronger its line; a score is the output's log-probability divided by the length penalty"
)
_LARGEST_BEAM = 10  # a larger one could not be read
_COLUMNS = ("number", "parent", "position", "rank in the beam", "token", "probability", "log-probability", "fate")


class BeamPanel(Panel):
    """While visible, searches again whenever the typed sentence is translated again."""

    title = "Beam search"
    empty_sentence = "The beam's tree appears here once there is a translation: type a sentence above and press Enter."
    is_picture = True
    redraw_on = ()  # its view marks it when there is a new translation

    def __init__(self, theme: Theme, typed: TypedSentence, bridge: EngineBridge) -> None:
        super().__init__(theme)
        self._typed = typed
        self.query: EngineQuery[BeamTree] = EngineQuery(bridge, self)
        self.size_spin, self.penalty_spin = IntegerSpinBox(theme), DecimalSpinBox(theme)
        self.verdict_label = wrapping_label("What the comparison shows")
        self.outputs_label = wrapping_label("Outputs with their scores")
        self.outputs_label.setTextFormat(Qt.TextFormat.RichText)  # a table; outputs are escaped
        self.readout_label = wrapping_label("The hypothesis that is pointed at", role="muted")
        self._readout = StableHeightLabel(self.readout_label)
        self.canvas = BeamCanvas(theme)
        self._area = BeamScrollArea(self.canvas)
        self.content = self.canvas  # exported whole, even the part scrolled out of view
        TokenFont(theme, self.verdict_label, self.outputs_label, self.readout_label)
        self._lay_out()
        self.size_spin.valueChanged.connect(self.mark_dirty)
        self.penalty_spin.valueChanged.connect(self.mark_dirty)
        self.canvas.pointed.connect(self._show_node)

    def show_step(self, history: History, step: int) -> None:
        """Draw the search with the weights of the newest translation, and ask for it if it is not the newest answer."""
        translation = self._typed.translation
        if translation is None:
            self.show_empty()
            return
        request = SearchBeam(
            source=translation.source,
            beam_size=self.size_spin.value(),
            length_penalty=self.penalty_spin.value(),
            step=self._typed.requested_step,
            prefix=translation.prefix,
        )
        chosen = replace(request, step=None), self._typed.choice
        self.query.submit(request, moment=(request.step, translation.step), chosen=chosen)
        if self.query.answer is None or self.query.answer.source != translation.source:
            self.show_empty(self.query.error or "Searching …")
        else:
            self.show_body()
            self._draw(self.query.answer)

    def numbers(self) -> Table:
        """A row for each hypothesis that had a place in the beam. All counts begin at 1; parent 0 means none."""
        tree = self.query.answer
        assert tree is not None
        lines = [
            (
                *(number, node.parent + 1, node.position + 1, node.rank + 1),
                *(node.token, node.probability, node.log_probability, node.fate),
            )
            for number, node in enumerate(tree.nodes, 1)
        ]
        return [_COLUMNS, *lines]

    def _draw(self, tree: BeamTree) -> None:
        self.set_title(f"{self.title} · weights of step {tree.step:,}")
        self.verdict_label.setText(describe_beam(tree))
        self.outputs_label.setText(outputs_table(tree))
        if self.canvas.tree is not None and self.canvas.tree.source != tree.source:
            self._readout.release_height()
        self.canvas.show_tree(tree)

    def _show_node(self, node: int) -> None:
        if self.canvas.tree is not None:
            self._readout.set_text(describe_node(self.canvas.tree, node))

    def _lay_out(self) -> None:
        self.size_spin.setRange(1, _LARGEST_BEAM)
        self.size_spin.setValue(4)
        self.penalty_spin.setRange(0.0, 3.0)
        self.penalty_spin.setSingleStep(0.1)
        self.penalty_spin.setValue(0.6)
        controls = QWidget()
        self.under_header.addWidget(controls)
        row = FlowLayout(controls, GRID, last_at_right=False)
        for name, spin, help in (
            ("beam size", self.size_spin, "How many hypotheses are kept at each step"),
            ("length penalty", self.penalty_spin, "Favours longer outputs; 0: none"),
        ):
            spin.setAccessibleName(name.capitalize())
            spin.setToolTip(help)
            row.addWidget(with_label(name, spin))
        self.canvas.setToolTip(_LEGEND)
        self.body.addWidget(self.verdict_label)
        self.body.addWidget(self._area, 1)
        self.body.addWidget(self._readout)
        self.body.addWidget(self.outputs_label)
