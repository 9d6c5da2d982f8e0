"""A page that scrolls where zoom leaves it less room than its parts need."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from gui.theme import GRID


class ScrollingPage(QScrollArea):
    """Parts go into `column`, one below the other."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        content = _Content()
        self.column = QVBoxLayout(content)
        self.column.setContentsMargins(GRID, GRID, GRID, GRID)
        self.column.setSpacing(GRID)
        self.setWidget(content)


class _Content(QWidget):
    """Asks for the height that its parts need at the width that it is given; at the least width rows need far more."""

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(least.width(), 0) if self.hasHeightForWidth() else least

    def heightForWidth(self, width: int) -> int:
        layout = self.layout()
        assert layout is not None
        return layout.totalMinimumHeightForWidth(width)
