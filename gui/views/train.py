"""The Train view: the sentence, the attention of this step, and the curves on one axis of steps."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QSplitter, QVBoxLayout, QWidget

from core.requests import AddSentence
from gui.context import Context
from gui.panels.attention_map import AttentionMap
from gui.panels.curves import Curves
from gui.panels.head_grid import HeadGrid
from gui.panels.sentence_row import SentenceRow
from gui.theme import GRID
from gui.view import View


class TrainView(View):
    """Loss, learning rate and attention at the playhead, live while the model learns."""

    name = "train"
    title = "Train"
    icon = "train"
    help = "Watch the model learn"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.sentence_row = SentenceRow(context.theme, context.selection)
        self.sentence_row.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.attention_map = AttentionMap(context.theme, context.selection)
        self.head_grid = HeadGrid(context.theme, context.selection, all_kinds=True)
        self.curves = Curves(context.theme, context.playhead)
        attention = _split(Qt.Orientation.Horizontal, (self.attention_map, 5), (self.head_grid, 4))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self.sentence_row)
        layout.addWidget(_split(Qt.Orientation.Vertical, (attention, 5), (self.curves, 4)), 1)
        self.add_panels(self.sentence_row, self.attention_map, self.head_grid, self.curves)
        self.sentence_row.sentence_added.connect(self._follow)

    def _follow(self, text: str) -> None:
        self.context.bridge.ask(AddSentence(source=text), self._choose_newest)

    def _choose_newest(self, _: None) -> None:
        self.context.selection.choose(sentence=-1)


def _split(orientation: Qt.Orientation, *parts: tuple[QWidget, int]) -> QSplitter:
    """Widgets side by side or one over the other, sharing the room in these proportions."""
    split = QSplitter(orientation)
    split.setChildrenCollapsible(False)
    split.setHandleWidth(GRID)
    for place, (widget, share) in enumerate(parts):
        split.addWidget(widget)
        split.setStretchFactor(place, share)
    split.setSizes([100 * share for _, share in parts])
    return split
