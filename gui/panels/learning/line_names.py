"""Where the name of a line across a plot, or up through it, can stand along that line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF

from gui.panels.learning.free_room import FreeRoom, middles


class Stand(NamedTuple):
    """How far along its line, from 0 to 1; which point of the name is on it; whether it is written along it."""

    position: float
    anchor: tuple[float, float]
    is_along: bool = False


def places_across(line: pg.InfiniteLine, wanted: float, room: FreeRoom) -> Iterator[tuple[QRectF, Stand]]:
    """Over or under a line across the plot, as near as may be to the part of it where the name is wanted."""
    size, height = line.label.boundingRect().size(), room.place_of(0.0, line.value()).y()
    for middle in middles(size.width(), room.width, wanted * room.width):
        for is_over in (True, False):
            corner = QPointF(middle - size.width() / 2, height - size.height() if is_over else height)
            yield QRectF(corner, size), Stand(middle / room.width, (0.5, 1.0 if is_over else 0.0))


def places_upright(
    line: pg.InfiniteLine, wanted: float, room: FreeRoom, *, may_turn: bool = True
) -> Iterator[tuple[QRectF, Stand]]:
    """Right or left of a line that goes up: written along it where it may and has room for that, else beside it."""
    name, at = line.label.boundingRect(), room.place_of(line.value(), 0.0).x()
    for is_along in (True, False):
        across, down = (name.height(), name.width()) if is_along else (name.width(), name.height())
        if is_along and (down > room.height or not may_turn):
            continue
        for middle in middles(down, room.height, (1.0 - wanted) * room.height):
            for is_right in (True, False):
                side = 0.0 if is_right else 1.0
                rectangle = QRectF(at - side * across, middle - down / 2, across, down)
                yield rectangle, Stand(1.0 - middle / room.height, (0.5, side) if is_along else (side, 0.5), is_along)


def put_name(line: pg.InfiniteLine, stand: Stand) -> None:
    """Have a line's name stand there."""
    label, axis = line.label, pg.Point(1, 0) if stand.is_along else None
    anchors = [stand.anchor] * 2  # whichever half of the plot it is in
    if (label.orthoPos, label.anchors, label.rotateAxis) != (stand.position, anchors, axis):
        label.anchors, label.rotateAxis = anchors, axis
        label.setPosition(stand.position)
        label.updateTransform(force=True)
