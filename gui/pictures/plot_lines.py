"""Draws a plot's lines in a file as wide, relative to the rest, as on the screen.

pyqtgraph's cosmetic pens would draw them in pixels of the file instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF
from PySide6.QtGui import QBrush, QPainter, QPainterPath, QPen, QTransform
from PySide6.QtWidgets import QGraphicsItem, QGraphicsPathItem, QStyleOptionGraphicsItem, QWidget

_LINES = (pg.PlotCurveItem, pg.InfiniteLine, pg.ScatterPlotItem)
_HAS_NO_CONTENTS = QGraphicsItem.GraphicsItemFlag.ItemHasNoContents
_Shape = tuple[QPainterPath, QPen, QBrush]  # path and pen width in pixels of the scene


@contextmanager
def lines_as_shapes(plot: pg.PlotWidget) -> Iterator[None]:
    """Within the block each line and dot is replaced by a shape at the same depth, and draggable lines are hidden."""
    scene = plot.scene()
    drawn = [item for item in scene.items() if item.isVisible() and isinstance(item, _LINES)]
    handles = [item for item in drawn if isinstance(item, pg.InfiniteLine) and item.movable]
    copies = [_ShapeItem(item, shape) for item in drawn for shape in _shapes_of(item)]
    for item in drawn:
        item.setFlag(_HAS_NO_CONTENTS)
    for handle in handles:
        handle.setOpacity(0.0)  # hides its label too
    try:
        yield
    finally:
        for copy in copies:
            scene.removeItem(copy)
        for item in drawn:
            item.setFlag(_HAS_NO_CONTENTS, False)
        for handle in handles:
            handle.setOpacity(1.0)


class _ShapeItem(QGraphicsPathItem):
    """A shape that stands in for an item, below the item's other children."""

    def __init__(self, item: QGraphicsItem, shape: _Shape) -> None:
        path, pen, brush = shape
        super().__init__(path, item)
        pen.setCosmetic(False)
        self.setPen(pen)
        self.setBrush(brush)
        self.setTransform(item.sceneTransform().inverted()[0])
        self.setZValue(-1)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None, /) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        super().paint(painter, option, widget)


def _shapes_of(item: QGraphicsItem) -> Iterator[_Shape]:
    """What pyqtgraph draws of an item with cosmetic pens."""
    match item:
        case pg.PlotCurveItem() if item.opts["pen"] is not None and not item.getPath().isEmpty():
            yield item.sceneTransform().map(item.getPath()), QPen(item.opts["pen"]), QBrush()
        case pg.InfiniteLine():
            across = item.boundingRect()
            path = QPainterPath(QPointF(across.left(), 0.0))
            path.lineTo(across.right(), 0.0)
            yield item.sceneTransform().map(path), QPen(item.pen), QBrush()
        case pg.ScatterPlotItem():
            for spot in item.points():
                centre = item.sceneTransform().map(QPointF(spot.pos()))
                transform = QTransform.fromTranslate(centre.x(), centre.y()).scale(spot.size(), spot.size())
                yield transform.map(Symbols[spot.symbol()]), QPen(spot.pen()), QBrush(spot.brush())
