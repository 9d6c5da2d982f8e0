"""The letter of a compared run on a square in the colour of its curve: beside a run's name it identifies the curve."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap

from gui.theme import Theme

SIZE = 18  # pixels at 100 %


def letter_icon(letter: str, colour: QColor, theme: Theme, ratio: float) -> QIcon:
    """The icon, drawn for a screen with `ratio` device pixels per pixel."""
    size = theme.px(SIZE)
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(colour)
    with QPainter(picture) as painter:
        painter.setFont(theme.font(bold=True))
        painter.setPen(theme.colour("surface"))  # the curves' colours stand out from it
        painter.drawText(QRect(0, 0, size, size), Qt.AlignmentFlag.AlignCenter, letter)
    icon = QIcon(picture)
    icon.addPixmap(picture, QIcon.Mode.Selected)  # else the style tints it in a chosen row, unlike the curve
    return icon
