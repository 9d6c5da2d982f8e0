"""The Train view: the sentence, the attention of this step, and the curves on one axis of steps."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout

from gui.context import Context
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
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID)
