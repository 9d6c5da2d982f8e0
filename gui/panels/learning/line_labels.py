"""Possible positions for the name of a horizontal or vertical line in a plot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF

from gui.panels.learning.label_placer import LabelPlacer, candidate_middles

LINE_GAP = 1.0  # pixels from a horizontal line to its name, whose ground would else blot it out where it is between two


class LabelPosition(NamedTuple):
    """A name's position along its line (0 to 1), the point of the name on the line, and whether it is vertical."""

    position: float
    anchor: tuple[float, float]
    is_along: bool = False


def horizontal_line_positions(
    line: pg.InfiniteLine, wanted: float, placer: LabelPlacer
) -> Iterator[tuple[QRectF, LabelPosition]]:
    """Positions above and below a horizontal line, the nearest to `wanted` (0 to 1 along it) first."""
    size, height = line.label.boundingRect().size(), placer.to_pixel(0.0, line.value()).y()
    gap = LINE_GAP / size.height()
    for middle in candidate_middles(size.width(), placer.width, wanted * placer.width):
        for anchor in (1.0 + gap, -gap):
            corner = QPointF(middle - size.width() / 2, height - anchor * size.height())
            yield QRectF(corner, size), LabelPosition(middle / placer.width, (0.5, anchor))


def vertical_line_positions(
    line: pg.InfiniteLine, wanted: float, placer: LabelPlacer, *, may_turn: bool = True
) -> Iterator[tuple[QRectF, LabelPosition]]:
    """Positions right and left of a vertical line, the nearest to `wanted` (0 to 1 from the bottom) first.

    The name is written along the line if `may_turn` and there is room, else horizontally beside it.
    """
    name, at = line.label.boundingRect(), placer.to_pixel(line.value(), 0.0).x()
    for is_along in (True, False):
        across, down = (name.height(), name.width()) if is_along else (name.width(), name.height())
        if is_along and (down > placer.height or not may_turn):
            continue
        for middle in candidate_middles(down, placer.height, (1.0 - wanted) * placer.height):
            for is_right in (True, False):
                side = 0.0 if is_right else 1.0
                rectangle = QRectF(at - side * across, middle - down / 2, across, down)
                yield (
                    rectangle,
                    LabelPosition(1.0 - middle / placer.height, (0.5, side) if is_along else (side, 0.5), is_along),
                )


def set_label_position(line: pg.InfiniteLine, position: LabelPosition) -> None:
    """Put a line's name there."""
    label, axis = line.label, pg.Point(1, 0) if position.is_along else None
    anchors = [position.anchor] * 2  # the same in both halves of the plot
    if (label.orthoPos, label.anchors, label.rotateAxis) != (position.position, anchors, axis):
        label.anchors, label.rotateAxis = anchors, axis
        label.setPosition(position.position)
        label.updateTransform(force=True)
