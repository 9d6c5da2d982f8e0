"""The Train view: the sentence, the attention of this step, and the curves on one axis of steps."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QSplitter, QVBoxLayout, QWidget

from core.requests import AddSentence
from gui.context import Context
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
        self.attention = QSplitter(Qt.Orientation.Horizontal)  # one head large, all heads small
        self.curves = QWidget()  # loss, learning rate, probe ticks: one axis of steps
        self.curves_layout = QVBoxLayout(self.curves)
        self.curves_layout.setContentsMargins(0, 0, 0, 0)
        self.curves_layout.setSpacing(GRID // 2)
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.attention)
        split.addWidget(self.curves)
        split.setChildrenCollapsible(False)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self.sentence_row)
        layout.addWidget(split, 1)
        self.add_panels(self.sentence_row)
        self.sentence_row.sentence_added.connect(self._follow)

    def _follow(self, text: str) -> None:
        self.context.bridge.ask(AddSentence(source=text), self._choose_newest)

    def _choose_newest(self, _: None) -> None:
        self.context.selection.choose(sentence=-1)
