"""Lays out the tree of a beam search: one column per position, one row per rank in the beam."""

from __future__ import annotations

import math
from itertools import accumulate

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QFontMetricsF

from core.answers.beam_tree import BeamTree
from gui.theme import GRID, Theme

_EDGES = 16, 56  # pixels between two columns: least and most
_TALLEST_ROW = 2.5  # in box heights
_WIDEST_TOKEN = 144


class BeamLayout:
    """All lengths are in logical pixels. The layout fills `room`, or is `least` if that is larger."""

    def __init__(self, tree: BeamTree, theme: Theme, room: QSize) -> None:
        self._tree = tree
        tokens, figures = QFontMetricsF(theme.token_font()), QFontMetricsF(theme.font(0.85))
        needed = [0.0] * (1 + max(node.position for node in tree.nodes))
        for node in tree.nodes:
            width = max(tokens.horizontalAdvance(f"✗ {node.token}"), figures.horizontalAdvance("0.000")) + 2 * GRID
            needed[node.position] = max(needed[node.position], min(width, theme.px(_WIDEST_TOKEN)))
        self.number_height = figures.height() + GRID / 2
        self._box_height = tokens.height() + figures.height() + 4
        rows, gaps, narrowest = 1 + max(node.rank for node in tree.nodes), len(needed) + 1, theme.px(_EDGES[0])
        width, height = sum(needed) + gaps * narrowest, self.number_height + rows * (self._box_height + GRID)
        self.least = QSize(math.ceil(width), math.ceil(height))
        room = room.expandedTo(self.least)
        self._edges = min((room.width() - sum(needed)) / gaps, theme.px(_EDGES[1]))
        self._row_height = min((room.height() - self.number_height) / rows, _TALLEST_ROW * self._box_height)
        self._lefts = list(accumulate((width + self._edges for width in needed), initial=self._edges))

    @property
    def num_positions(self) -> int:
        return len(self._lefts) - 1

    def box(self, index: int) -> QRectF:
        """The box of one node: a hypothesis's newest token."""
        node = self._tree.nodes[index]
        left, right = self._lefts[node.position], self._lefts[node.position + 1] - self._edges
        return QRectF(left, self.number_height + node.rank * self._row_height, right - left, self._box_height)

    def number_rect(self, position: int) -> QRectF:
        """The rectangle of a position's number."""
        left, right = self._lefts[position], self._lefts[position + 1] - self._edges
        return QRectF(left, 0, right - left, self.number_height)

    def edge(self, index: int) -> tuple[QPointF, QPointF]:
        """The line from the parent's right side to the box's left side; first tokens share one starting point."""
        box, parent = self.box(index), self._tree.nodes[index].parent
        end = QPointF(box.left(), box.center().y())
        if parent < 0:
            return QPointF(GRID / 2, self.number_height + self._box_height / 2), end
        before = self.box(parent)
        return QPointF(before.right(), before.center().y()), end

    def node_at(self, point: QPointF) -> int | None:
        """The node under a point, or None."""
        return next((index for index in range(len(self._tree.nodes)) if self.box(index).contains(point)), None)
