"""Lays out the tokens of a line view: keys above, queries below."""

from __future__ import annotations

from math import ceil
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from gui.heads.head_picture import HeadPicture

Side = Literal["above", "below"]
_GAP = 8.0
_CLOSEST = 0.9  # least distance from label to label, in line heights, as in the map
_LARGEST_LABEL = 0.3  # share of the height that the tokens of one side may take


class LineLayout:
    """Fits the tokens of a head into an area; all lengths in logical pixels.

    All tokens are measured once, in `__init__`, since each of the many lines asks for its ends.
    """

    def __init__(self, area: QRectF, picture: HeadPicture, font: QFont) -> None:
        self.labels: dict[Side, tuple[str, ...]] = {"above": picture.columns, "below": picture.rows}
        self.font = font
        self._area, self._metrics = area, QFontMetricsF(font)
        self._width = {side: area.width() / len(labels) for side, labels in self.labels.items()}
        self._rotated = {side: self._is_rotated(side) for side in self.labels}
        self._label_room = {side: self._room_of(side) for side in self.labels}

    def end(self, side: Side, index: int) -> QPointF:
        """The point at which the lines of a token end."""
        room = self._label_room[side] + _GAP
        y = self._area.top() + room if side == "above" else self._area.bottom() - room
        return QPointF(self._area.left() + (index + 0.5) * self._width[side], y)

    def label(self, side: Side, index: int) -> QRectF:
        """The rectangle of a token."""
        end, room, width = self.end(side, index), self._label_room[side], self._width[side]
        top = end.y() - _GAP - room if side == "above" else end.y() + _GAP
        return QRectF(end.x() - width / 2, top, width, room)

    def token_at(self, point: QPointF) -> tuple[Side, int] | None:
        """The nearest token in the half that contains a point; None outside the area."""
        if not self._area.contains(point):
            return None
        side: Side = "above" if point.y() < self._area.center().y() else "below"
        index = int((point.x() - self._area.left()) / self._width[side])
        return side, min(index, len(self.labels[side]) - 1)

    def paint_labels(self, painter: QPainter, colours: dict[Side, list[QColor]]) -> None:
        """Paint the tokens that there is room for, horizontal if they fit, else rotated. Long ones are elided."""
        painter.setFont(self.font)
        for side, labels in self.labels.items():
            for index in self.labelled_indices(side):
                painter.setPen(colours[side][index])
                self._paint_label(painter, side, self.label(side, index), labels[index])

    def labelled_indices(self, side: Side) -> range:
        """The indices of the tokens to write: every second, third and so on, if all would overlap."""
        closest = self._metrics.height() * _CLOSEST if self._rotated[side] else 0.0
        return range(0, len(self.labels[side]), max(1, ceil(closest / self._width[side])))

    def _paint_label(self, painter: QPainter, side: Side, box: QRectF, label: str) -> None:
        if not self._rotated[side]:
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "\n".join(_lines(label)))
            return
        text = self._metrics.elidedText(label, Qt.TextElideMode.ElideRight, box.height())
        towards_lines = Qt.AlignmentFlag.AlignLeft if side == "above" else Qt.AlignmentFlag.AlignRight
        painter.save()
        painter.translate(box.center())
        painter.rotate(-90)
        turned = QRectF(-box.height() / 2, -box.width() / 2, box.height(), box.width())
        painter.drawText(turned, towards_lines | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()

    def _is_rotated(self, side: Side) -> bool:
        widest = max(self._metrics.horizontalAdvance(line) for label in self.labels[side] for line in _lines(label))
        return widest + _GAP > self._width[side]

    def _room_of(self, side: Side) -> float:
        if self._rotated[side]:
            wanted = max(self._metrics.horizontalAdvance(label) for label in self.labels[side])
        else:
            wanted = self._metrics.height() * max(len(_lines(label)) for label in self.labels[side])
        return min(wanted, self._area.height() * _LARGEST_LABEL)


def _lines(label: str) -> list[str]:
    """The label in two lines, the token read above its prediction: `in → the` then needs half the width."""
    return label.replace(" → ", "\n→ ").splitlines()
