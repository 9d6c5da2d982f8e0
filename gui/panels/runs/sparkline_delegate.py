"""Paints a small curve into a table cell: how the loss fell, without axes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from gui.theme import GRID, Theme

VALUES = Qt.ItemDataRole.UserRole


class SparklineDelegate(QStyledItemDelegate):
    """Paints the values that a cell holds under `VALUES`, the first at the left; zero is the bottom of the cell."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        values = index.data(VALUES)
        if not values:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side = self._theme.px(GRID)  # like the margin of the column's header
        painter.setPen(QPen(self._theme.colour("training"), 1.5))
        painter.drawPolyline(QPolygonF(points_of(values, QRectF(option.rect).adjusted(side, 6, -side, -6))))
        painter.restore()


def points_of(values: Sequence[float], room: QRectF) -> list[QPointF]:
    """Evenly spaced from left to right; the largest value at the top, zero at the bottom. One alone is a level line."""
    values = values if len(values) > 1 else [*values, *values]
    top = max(*values, 1e-9)
    stride = room.width() / (len(values) - 1)
    return [
        QPointF(room.left() + number * stride, room.bottom() - room.height() * value / top)
        for number, value in enumerate(values)
    ]
