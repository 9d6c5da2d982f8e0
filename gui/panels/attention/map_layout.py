"""Where the cells and labels of an attention map lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

_GAP = 8.0
_LARGEST_LABEL = 0.35  # share of the area that labels may take
_LARGEST_CELL = 72.0
_WIDEST_CELL = 2.0  # in heights
_CLOSEST = 0.9  # of a line, from label to label: its d and the g above would touch at 0.86


class Labelled(Protocol):
    """What has a label for each row and column."""

    @property
    def rows(self) -> tuple[str, ...]: ...

    @property
    def columns(self) -> tuple[str, ...]: ...


class MapLayout:
    """Fits a map's cells with their labels into an area; all lengths in logical pixels.

    The labels of its rows take what the widest needs, or `row_room`: so maps below each other begin at one place.
    """

    def __init__(self, area: QRectF, picture: Labelled, font: QFont, row_room: float | None = None) -> None:
        rows, columns = picture.rows, picture.columns
        self.rows, self.columns, self.font = rows, columns, font
        self._metrics = QFontMetricsF(font)
        left = min(self._widest(rows) if row_room is None else row_room, area.width() * _LARGEST_LABEL) + _GAP
        width = (area.width() - left) / len(columns)
        upright = self._widest(columns) + _GAP  # what a column needs for its label
        self.rotated = upright > min(width, _LARGEST_CELL * _WIDEST_CELL)
        label_height = self._widest(columns) if self.rotated else self._metrics.height()
        top = min(label_height, area.height() * _LARGEST_LABEL) + _GAP if any(columns) else 0.0
        height = max(1.0, min((area.height() - top) / len(rows), _LARGEST_CELL))
        widest = height * _WIDEST_CELL if self.rotated else max(height * _WIDEST_CELL, upright)
        width = max(1.0, min(width, widest))
        self.grid = QRectF(area.left() + left, area.top() + top, width * len(columns), height * len(rows))

    def _widest(self, labels: tuple[str, ...]) -> float:
        return max(self._metrics.horizontalAdvance(label) for label in labels)

    def cell(self, row: int, column: int) -> QRectF:
        """The rectangle of one weight."""
        width, height = self.grid.width() / len(self.columns), self.grid.height() / len(self.rows)
        return QRectF(self.grid.left() + column * width, self.grid.top() + row * height, width, height)

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        """Row and column under a point, None beside the map."""
        if not self.grid.contains(point):
            return None
        row = int((point.y() - self.grid.top()) / self.grid.height() * len(self.rows))
        column = int((point.x() - self.grid.left()) / self.grid.width() * len(self.columns))
        return min(row, len(self.rows) - 1), min(column, len(self.columns) - 1)

    @property
    def has_room_for_rows(self) -> bool:
        """Whether the label of each row is written."""
        return self.cell(0, 0).height() >= self._metrics.height() * _CLOSEST

    def paint_labels(self, painter: QPainter, colour: QColor) -> None:
        """Row labels to the left, column labels above; upright where they fit, else turned. Long ones are elided."""
        painter.setFont(self.font)
        painter.setPen(colour)
        if self.has_room_for_rows:
            for row, label in enumerate(self.rows):
                self._paint_row_label(painter, row, label)
        if not self.rotated or self.cell(0, 0).width() >= self._metrics.height() * _CLOSEST:
            for column, label in enumerate(self.columns):
                self._paint_column_label(painter, column, label)

    def _paint_row_label(self, painter: QPainter, row: int, label: str) -> None:
        cell, room = self.cell(row, 0), self.grid.left() - _GAP
        text = self._metrics.elidedText(label, Qt.TextElideMode.ElideRight, room)
        rect = QRectF(0, cell.center().y() - self._metrics.height() / 2, room, self._metrics.height())
        painter.drawText(rect, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_column_label(self, painter: QPainter, column: int, label: str) -> None:
        cell, room = self.cell(0, column), self.grid.top() - _GAP
        height = self._metrics.height()
        if not self.rotated:
            rect = QRectF(cell.left(), self.grid.top() - _GAP / 2 - height, cell.width(), height)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label)
            return
        painter.save()
        painter.translate(cell.center().x(), self.grid.top() - _GAP / 2)
        painter.rotate(-90)
        text = self._metrics.elidedText(label, Qt.TextElideMode.ElideRight, room)
        painter.drawText(
            QRectF(0, -height / 2, room, height), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text
        )
        painter.restore()


def fitting_layout(area: QRectF, picture: Labelled, fonts: Sequence[QFont], row_room: float | None = None) -> MapLayout:
    """With labels in the largest of these fonts in which each row has one; the smallest, given last, where none has."""
    for font in fonts:
        layout = MapLayout(area, picture, font, row_room)
        if layout.has_room_for_rows:
            break
    return layout
