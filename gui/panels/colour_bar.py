"""The scale beside every attention map: which colour is which weight."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.colour_map import ramp_of
from gui.theme import Mode

_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def paint_colour_bar(painter: QPainter, bar: QRectF, mode: Mode, text: QColor, square_root: bool) -> None:
    """Paint weights 0 (bottom) to 1 (top) with their numbers to the right."""
    painter.drawImage(bar, ramp_of(mode))
    painter.setPen(text)
    painter.drawRect(bar)
    width, height = painter.fontMetrics().horizontalAdvance("0.000"), painter.fontMetrics().height()
    for weight in _TICKS:
        place = bar.bottom() - (weight**0.5 if square_root else weight) * bar.height()
        rect = QRectF(bar.right() + 4, place - height / 2, width, height)
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, f"{weight:g}")
