"""The Train view: the sentence, the attention of this step, and the curves on one axis of steps."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout

from gui.context import Context
from gui.panels.attention_map import AttentionMap
from gui.panels.curves import Curves
from gui.panels.head_grid import HeadGrid
from gui.panels.sentence_row import SentenceRow
from gui.theme import GRID
from gui.view import View
from gui.widgets import splitter


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
        attention = splitter(Qt.Orientation.Horizontal, (self.attention_map, 5), (self.head_grid, 4))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self.sentence_row)
        layout.addWidget(splitter(Qt.Orientation.Vertical, (attention, 5), (self.curves, 4)), 1)
        self.add_panels(self.sentence_row, self.attention_map, self.head_grid, self.curves)
        follow = partial(context.follow_sentence, give_back=self.sentence_row.take_back)
        self.sentence_row.sentence_added.connect(follow)
        context.follower.changed.connect(self._allow_sentences)

    def _allow_sentences(self) -> None:
        self.sentence_row.allow_adding(self.context.follower.why_no_model)
