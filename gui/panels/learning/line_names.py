"""Possible positions for the name of a horizontal or vertical line in a plot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF

from gui.panels.learning.free_room import FreeRoom, middles


class Stand(NamedTuple):
    """A name's position along its line (0 to 1), the point of the name on the line, and whether it is vertical."""

    position: float
    anchor: tuple[float, float]
    is_along: bool = False


def places_across(line: pg.InfiniteLine, wanted: float, room: FreeRoom) -> Iterator[tuple[QRectF, Stand]]:
    """Positions above and below a horizontal line, the nearest to `wanted` (0 to 1 along it) first."""
    size, height = line.label.boundingRect().size(), room.place_of(0.0, line.value()).y()
    for middle in middles(size.width(), room.width, wanted * room.width):
        for is_over in (True, False):
            corner = QPointF(middle - size.width() / 2, height - size.height() if is_over else height)
            yield QRectF(corner, size), Stand(middle / room.width, (0.5, 1.0 if is_over else 0.0))


def places_upright(
    line: pg.InfiniteLine, wanted: float, room: FreeRoom, *, may_turn: bool = True
) -> Iterator[tuple[QRectF, Stand]]:
    """Positions right and left of a vertical line, the nearest to `wanted` (0 to 1 from the bottom) first.

    The name is written along the line if `may_turn` and there is room, else horizontally beside it.
    """
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
    """Put a line's name there."""
    label, axis = line.label, pg.Point(1, 0) if stand.is_along else None
    anchors = [stand.anchor] * 2  # the same in both halves of the plot
    if (label.orthoPos, label.anchors, label.rotateAxis) != (stand.position, anchors, axis):
        label.anchors, label.rotateAxis = anchors, axis
        label.setPosition(stand.position)
        label.updateTransform(force=True)
