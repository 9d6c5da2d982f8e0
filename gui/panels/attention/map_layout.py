"""Lays out the cells and labels of a map, such as an attention map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

_GAP = 8.0
_LARGEST_LABEL = 0.35  # share of the area that labels may take
_LARGEST_CELL = 72.0
_WIDEST_CELL = 2.0  # in cell heights
_CLOSEST = 0.9  # least distance from label to label, in line heights: at 0.86 a d would touch the g above it


class Labelled(Protocol):
    """Anything with a label for each row and column."""

    @property
    def rows(self) -> tuple[str, ...]: ...

    @property
    def columns(self) -> tuple[str, ...]: ...


class MapLayout:
    """Fits a map's cells and labels into an area; all lengths in logical pixels.

    Row labels take the width of the widest, or `row_label_width`, so that the cells of maps below one another line up.
    """

    def __init__(self, area: QRectF, picture: Labelled, font: QFont, row_label_width: float | None = None) -> None:
        self.rows, self.columns, self.font = picture.rows, picture.columns, font
        self._metrics = QFontMetricsF(font)
        self.names_rows, self.names_columns = True, any(self.columns)
        self._lay_out(area, row_label_width)
        if self.names_columns and self.rotated and self._is_narrow(self.cell(0, 0).width()):
            self.names_columns = False
            self._lay_out(area, row_label_width)
        if self._is_narrow(self.cell(0, 0).height()):
            self.names_rows = False
            self._lay_out(area, row_label_width)

    def _lay_out(self, area: QRectF, row_label_width: float | None) -> None:
        """Set `grid`, with room only for labels that are written: none if cells are too narrow for a line of text."""
        left = self._row_label_width(row_label_width, area.width())
        width = (area.width() - left) / len(self.columns)
        upright = self._widest(self.columns) + _GAP  # what a column needs for its label
        self.rotated = upright > min(width, _LARGEST_CELL * _WIDEST_CELL)
        label_height = self._widest(self.columns) if self.rotated else self._metrics.height()
        top = min(label_height, area.height() * _LARGEST_LABEL) + _GAP if self.names_columns else 0.0
        height = max(1.0, min((area.height() - top) / len(self.rows), _LARGEST_CELL))
        widest = height * _WIDEST_CELL if self.rotated else max(height * _WIDEST_CELL, upright)
        width = max(1.0, min(width, widest))
        self.grid = QRectF(area.left() + left, area.top() + top, width * len(self.columns), height * len(self.rows))

    def _row_label_width(self, row_label_width: float | None, width: float) -> float:
        """The width for row labels. A given one is kept even if they are not written, so that maps line up."""
        if row_label_width is None and not self.names_rows:
            return 0.0
        return (
            min(self._widest(self.rows) if row_label_width is None else row_label_width, width * _LARGEST_LABEL) + _GAP
        )

    def _is_narrow(self, pixels: float) -> bool:
        return pixels < self._metrics.height() * _CLOSEST

    def _widest(self, labels: tuple[str, ...]) -> float:
        return max(self._metrics.horizontalAdvance(label) for label in labels)

    def cell(self, row: int, column: int) -> QRectF:
        """The rectangle of one weight."""
        width, height = self.grid.width() / len(self.columns), self.grid.height() / len(self.rows)
        return QRectF(self.grid.left() + column * width, self.grid.top() + row * height, width, height)

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        """Row and column at a point; None outside the map."""
        if not self.grid.contains(point):
            return None
        row = int((point.y() - self.grid.top()) / self.grid.height() * len(self.rows))
        column = int((point.x() - self.grid.left()) / self.grid.width() * len(self.columns))
        return min(row, len(self.rows) - 1), min(column, len(self.columns) - 1)

    def paint_labels(self, painter: QPainter, colour: QColor) -> None:
        """Paint row labels at the left and column labels above, rotated if they do not fit. Long ones are elided."""
        painter.setFont(self.font)
        painter.setPen(colour)
        if self.names_rows:
            for row, label in enumerate(self.rows):
                self._paint_row_label(painter, row, label)
        if self.names_columns:
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


def fitting_layout(
    area: QRectF, picture: Labelled, fonts: Sequence[QFont], row_label_width: float | None = None
) -> MapLayout:
    """The layout in the first of these fonts (largest first) in which all rows and columns have labels.

    If there is none: in the first in which all rows have labels, else in the last font.
    """
    layouts = [MapLayout(area, picture, font, row_label_width) for font in fonts]
    whole = (layout for layout in layouts if layout.names_rows and layout.names_columns == any(picture.columns))
    named = (layout for layout in layouts if layout.names_rows)
    return next(whole, next(named, layouts[-1]))
