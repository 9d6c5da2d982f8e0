"""A row that wraps into further lines, as words do, if the window is too narrow."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLayout, QLayoutItem, QWidget

from gui.theme import GRID
from gui.widgets.labels import plain_label

SizedItem = tuple[QLayoutItem, QSize]  # an item and its size hint, which Qt works out at each call


class FlowLayout(QLayout):
    """Lays items out from left to right in lines; with `last_at_right` the last of all stands at the right edge.

    `spacing` is between items; lines are at most `GRID` apart. With `is_even` the lines are as even as possible instead
    of as full as possible, which leaves room for widgets that grow.
    """

    def __init__(self, parent: QWidget, spacing: int, *, last_at_right: bool = True, is_even: bool = False) -> None:
        super().__init__(parent)
        self._last_at_right, self._is_even = last_at_right, is_even
        self._items: list[QLayoutItem] = []
        self._stretch_factors: dict[QWidget, int] = {}
        self._heights: dict[int, int] = {}  # by width; kept until an item's size changes, since windows ask often
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def add_stretching(self, widget: QWidget, stretch: int = 1) -> None:
        """Append a widget that grows: such widgets share the free width of their line in these proportions."""
        self.addWidget(widget)
        self._stretch_factors[widget] = stretch

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)
        self.invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def invalidate(self) -> None:
        self._heights.clear()
        super().invalidate()

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            self._heights[width] = self._geometries(QRect(0, 0, width, 0))[1]
        return self._heights[width]

    def fits_in_a_line(self, width: int) -> bool:
        """Whether all that is shown has room side by side in this width."""
        margins = self.contentsMargins()
        return len(self._lines(width - margins.left() - margins.right())) <= 1

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Room for the widest and the highest item: every item may have a line of its own."""
        margins = self.contentsMargins()
        sizes = [item.minimumSize() for item in self._visible_items]
        widest = max((size.width() for size in sizes), default=0)
        highest = max((size.height() for size in sizes), default=0)
        return QSize(widest + margins.left() + margins.right(), highest + margins.top() + margins.bottom())

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        for item, geometry in zip(self._visible_items, self._geometries(rect)[0], strict=True):
            item.setGeometry(geometry)

    @property
    def _visible_items(self) -> list[QLayoutItem]:
        """The items that are not hidden. A hidden one takes no room, nor does the space beside it."""
        return [item for item in self._items if not item.isEmpty()]

    def _geometries(self, rect: QRect) -> tuple[list[QRect], int]:
        """The place of every shown item in a rectangle of this width, and the height they need."""
        inner = rect.marginsRemoved(self.contentsMargins())
        top, geometries, gap = inner.top(), list[QRect](), min(self.spacing(), GRID)
        lines = self._lines(inner.width())
        height = max((hint.height() for line in lines for _, hint in line), default=0)
        for line in lines:
            left = inner.left()
            for width in self._widths(line, inner.width()):
                geometries.append(QRect(QPoint(left, top), QSize(width, height)))
                left += width + self.spacing()
            top += height + gap
        if self._last_at_right and geometries and not self._items[-1].isEmpty():
            geometries[-1].moveRight(inner.right())
        bottom = top - gap if geometries else top
        return geometries, bottom - rect.y() + self.contentsMargins().bottom()

    def _lines(self, available_width: int) -> list[list[SizedItem]]:
        """The shown items, in as few lines as `available_width` pixels of width allow."""
        lines = list(self._full_lines(available_width))
        while self._is_even:
            widest = self._widest(lines)
            evener = list(self._full_lines(widest - 1))
            if len(evener) > len(lines) or self._widest(evener) >= widest:
                break
            lines = evener
        return lines

    def _widest(self, lines: list[list[SizedItem]]) -> int:
        return (
            max((sum(hint.width() + self.spacing() for _, hint in line) for line in lines), default=0) - self.spacing()
        )

    def _full_lines(self, available_width: int) -> Iterator[list[SizedItem]]:
        """The shown items, as many in each line as `available_width` pixels hold."""
        line, used, spacing = list[SizedItem](), 0, self.spacing()
        for item in self._visible_items:
            hint = item.sizeHint()
            if line and used + hint.width() > available_width:
                yield line
                line, used = [], 0
            line.append((item, hint))
            used += hint.width() + spacing
        if line:
            yield line

    def _widths(self, line: list[SizedItem], available_width: int) -> list[int]:
        """The width given to each item of a line."""
        widths = [min(hint.width(), available_width) for _, hint in line]
        factors = [self._stretch_factor(item) for item, _ in line]
        free = available_width - sum(widths) - self.spacing() * (len(line) - 1)
        if any(factors):
            widths = [width + free * factor // sum(factors) for width, factor in zip(widths, factors, strict=True)]
        return widths

    def _stretch_factor(self, item: QLayoutItem) -> int:
        widget = item.widget()
        return self._stretch_factors.get(widget, 0) if widget is not None else 0


def side_by_side(*widgets: QWidget) -> QWidget:
    """Widgets in one row, which a flow layout wraps together."""
    made = QWidget()
    row = QHBoxLayout(made)
    row.setContentsMargins(0, 0, GRID, 0)
    row.setSpacing(GRID // 2)
    for widget in widgets:
        row.addWidget(widget)
    return made


def with_label(name: str, widget: QWidget, *more: QWidget) -> QWidget:
    """A control after a label with its name, followed by the widgets that belong to it."""
    label = plain_label(name, role="muted")
    label.setBuddy(widget)
    return side_by_side(label, widget, *more)
