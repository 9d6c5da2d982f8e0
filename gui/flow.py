"""A row that goes on in the next line where the window is too narrow, as words do."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Left to right, then down; where asked for, the last item of all stands at the right edge."""

    def __init__(self, parent: QWidget, margin: int, spacing: int, *, last_at_right: bool = True) -> None:
        super().__init__(parent)
        self._last_at_right = last_at_right
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(margin, margin, margin, margin)
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._places(QRect(0, 0, width, 0))[1]

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """As wide as the widest item alone."""
        margins = self.contentsMargins()
        sizes = [item.minimumSize() for item in self._items]
        widest, highest = max(size.width() for size in sizes), max(size.height() for size in sizes)
        return QSize(widest + margins.left() + margins.right(), highest + margins.top() + margins.bottom())

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        for item, place in zip(self._items, self._places(rect)[0], strict=True):
            item.setGeometry(place)

    def _places(self, rect: QRect) -> tuple[list[QRect], int]:
        """Where every item goes in a rectangle of this width, and the height that takes."""
        inner = rect.marginsRemoved(self.contentsMargins())
        corner, places = inner.topLeft(), []
        height = max(item.sizeHint().height() for item in self._items)
        for item in self._items:
            width = item.sizeHint().width()
            if corner.x() > inner.left() and corner.x() + width > inner.right() + 1:
                corner = QPoint(inner.left(), corner.y() + height + self.spacing())
            places.append(QRect(corner, QSize(min(width, inner.width()), height)))
            corner += QPoint(width + self.spacing(), 0)
        if self._last_at_right:
            places[-1].moveRight(inner.right())
        return places, corner.y() + height - rect.y() + self.contentsMargins().bottom()
