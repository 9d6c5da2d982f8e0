"""The SVG icons of resources/icons: the application's own, and those of its controls, tinted."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

SIZE = 64  # pixels; Qt scales down from here


def application_icon() -> QIcon:
    """The icon by which the system shows the application; sharp at any size."""
    return QIcon(str(files("resources.icons").joinpath("headlight.svg")))


@cache
def icon(name: str, colour: str, disabled_colour: str = "") -> QIcon:
    """The icon of this name in this colour (`#rrggbb`), and while disabled in the other; else Qt makes it paler."""
    made = QIcon(_pixmap(name, colour))
    if disabled_colour:
        made.addPixmap(_pixmap(name, disabled_colour), QIcon.Mode.Disabled)
    return made


def _pixmap(name: str, colour: str) -> QPixmap:
    """The drawing in this colour; the files draw with `currentColor`."""
    svg = files("resources.icons").joinpath(f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(svg.replace("currentColor", colour).encode()))
    pixmap = QPixmap(SIZE, SIZE)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        renderer.render(painter)
    return pixmap
