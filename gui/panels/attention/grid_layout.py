"""Lays out the grid of small heads and their names."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetrics, QPainter

from gui.theme import GRID

_GAP = GRID / 2
_TALLEST = 1.5  # the greatest height of a head, in widths
_PITCH = 1.5  # from number to number, in widths of the widest: the last may move left by half a width


class GridLayout:
    """Fits rows of heads, `num_heads[row]` in each, and their names into a size; all lengths in logical pixels.

    Below each head a line of height `note` stays free, if that leaves the head at least the same height.
    """

    def __init__(
        self, size: QSizeF, names: Sequence[str], num_heads: Sequence[int], metrics: QFontMetrics, note: float = 0.0
    ) -> None:
        self._names, self._num_heads, self._metrics = names, num_heads, metrics
        self._right = size.width()
        self._left = max(metrics.horizontalAdvance(name) for name in names) + GRID
        self._top = metrics.height() + GRID // 2
        self._width = (size.width() - self._left) / max(num_heads)
        height = (size.height() - self._top) / len(names)
        self._note = note if height - _GAP >= 2 * note else 0.0
        self._height = max(2.0 + _GAP, min(height, self._width * _TALLEST + self._note))

    def cell(self, row: int, head: int) -> QRectF:
        """The rectangle of a head."""
        left, top = self._left + head * self._width, self._top + row * self._height
        return QRectF(left, top, max(2.0, self._width - _GAP), self._height - _GAP - self._note)

    def note(self, row: int, head: int) -> QRectF:
        """The line below a head; its height is 0 if there is no room."""
        cell = self.cell(row, head)
        return QRectF(cell.left(), cell.bottom(), cell.width(), self._note)

    def cell_at(self, point: QPoint) -> tuple[int, int] | None:
        """Row and head at a point; None outside the heads."""
        row, head = int((point.y() - self._top) // self._height), int((point.x() - self._left) // self._width)
        if not (0 <= row < len(self._names) and 0 <= head < self._num_heads[row]):
            return None
        return (row, head) if self.cell(row, head).contains(point) else None

    def head_names(self) -> list[tuple[str, QRectF]]:
        """The number of each head and its rectangle; if heads are narrow, only of every 2nd, 4th, 8th ... head."""
        count, every = max(self._num_heads), 1
        while every * self._width < _PITCH * self._metrics.horizontalAdvance(str(count)):
            every *= 2
        fits = self._width - _GAP > self._metrics.horizontalAdvance("head 00")
        word = "head " if fits else ""
        return [self._named(f"{word}{head + 1}", head) for head in range(every - 1, count, every)]

    def _named(self, name: str, head: int) -> tuple[str, QRectF]:
        """A name centred above its head, moved left if it would leave the picture."""
        width = self._metrics.horizontalAdvance(name)
        left = min(self.cell(0, head).center().x() - width / 2, self._right - width)
        return name, QRectF(left, 0, width, self._metrics.height())

    def row_names(self) -> list[tuple[str, QRectF]]:
        """The name of each row and its rectangle; if rows are low, only of every 2nd, 4th, 8th ... row."""
        height, every = self._metrics.height(), 1
        while every * self._height < height:
            every *= 2
        rows = range(0, len(self._names), every)
        tops = (self.cell(row, 0).center().y() - height / 2 for row in rows)
        return [(self._names[row], QRectF(0, top, self._left, height)) for row, top in zip(rows, tops, strict=True)]

    def paint_names(self, painter: QPainter) -> None:
        """Paint the names of the rows and the numbers of the heads."""
        for name, rect in self.head_names():
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, name)
        for name, rect in self.row_names():
            painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
