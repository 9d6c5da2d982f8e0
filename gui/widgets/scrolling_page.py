"""A page that scrolls if zoom leaves it less room than its parts need."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLayout, QLayoutItem, QVBoxLayout, QWidget

from gui.theme import GRID
from gui.widgets.scroll_areas import FramelessScrollArea


class ScrollingPage(FramelessScrollArea):
    """Add parts to `column`, one below the other."""

    def __init__(self) -> None:
        content = _Content()
        super().__init__(content)
        self.setObjectName("page")
        self.column = QVBoxLayout(content)
        self.column.setContentsMargins(GRID, GRID, GRID, GRID)
        self.column.setSpacing(GRID)


class _Content(QWidget):
    """Asks for the height that its parts need at its actual width; rows that wrap need far more at their minimum."""

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(least.width(), 0) if self.hasHeightForWidth() else least

    def heightForWidth(self, width: int) -> int:
        column = self.layout()
        assert column is not None
        return least_height(column, width)


def least_height(column: QLayout, width: int) -> int:
    """The least a box layout gives its parts: their heights for this width, which may exceed their minimum."""
    margins = column.contentsMargins()
    inner = width - margins.left() - margins.right()
    items = (column.itemAt(index) for index in range(column.count()))
    heights = [_least_height_of(item, inner) for item in items if item is not None and not item.isEmpty()]
    spaces = column.spacing() * (len(heights) - 1)
    return sum(heights) + spaces + margins.top() + margins.bottom()


def _least_height_of(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.minimumSize().height()
