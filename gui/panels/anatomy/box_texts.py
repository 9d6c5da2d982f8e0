"""Lays out the texts of a box in the diagram: its name, its shape, and its number of parameters."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetrics

from gui.panels.anatomy.model_blocks import Block
from gui.theme import GRID

_GAP = GRID / 2  # least distance between two texts


def box_texts(inner: QRectF, block: Block, metrics: QFontMetrics) -> Iterator[tuple[str, QRectF, str]]:
    """Each text with its rectangle and colour: the name at the left, the count at the right, the shape in between.

    The shape begins in the middle unless a long name or count pushes it aside. If there is no room, first the shape is
    left out, then the end of the name; the text below the diagram has all of them.
    """
    count = f"{block.parameters:,}" if block.parameters else ""
    right = inner.right() - metrics.horizontalAdvance(count)
    end = right - _GAP if count else right
    name = metrics.elidedText(block.name, Qt.TextElideMode.ElideRight, int(end - inner.left()))
    begin = inner.left() + metrics.horizontalAdvance(name) + _GAP
    shape_width = metrics.horizontalAdvance(block.shape)
    yield name, _between(inner.left(), begin - _GAP, inner), "text"
    if begin + shape_width <= end:
        left = min(max(inner.center().x(), begin), end - shape_width)
        yield block.shape, _between(left, left + shape_width, inner), "muted"
    if count:
        yield count, _between(right, inner.right(), inner), "muted"


def _between(left: float, right: float, inner: QRectF) -> QRectF:
    return QRectF(left, inner.top(), right - left, inner.height())
