"""Paints the scale beside an attention map, which says what weight each colour is."""

from __future__ import annotations

from math import copysign

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.colours import Mode
from gui.pictures.colour_map import colour_ramp

_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_SIGNED_TICKS = (-1.0, -0.5, 0.0, 0.5, 1.0)


def paint_colour_bar(
    painter: QPainter, bar: QRectF, mode: Mode, text: QColor, square_root: bool, *, is_difference: bool = False
) -> None:
    """Paint the scale from weight 0 (for differences -1) at the bottom to 1 at the top, with numbers at the right."""
    painter.drawImage(bar, colour_ramp(mode, is_difference=is_difference))
    painter.setPen(text)
    painter.drawRect(bar)
    width, height = painter.fontMetrics().horizontalAdvance("0.000"), painter.fontMetrics().height()
    for weight in _SIGNED_TICKS if is_difference else _TICKS:
        share = copysign(abs(weight) ** 0.5, weight) if square_root else weight
        y = bar.bottom() - ((share + 1) / 2 if is_difference else share) * bar.height()
        top = max(y - height / 2, 0.0)  # the bar of a map without labels begins at the upper edge of the picture
        rect = QRectF(bar.right() + 4, top, width, height)
        painter.drawText(
            rect,
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
            f"{weight:+g}" if is_difference and weight else f"{weight:g}",
        )
