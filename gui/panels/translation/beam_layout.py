"""Where the hypotheses of a beam's tree lie: a column a position, a row a place in the beam."""

from __future__ import annotations

from itertools import accumulate

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF

from core.beam_tree import BeamTree
from gui.theme import GRID, Theme

_EDGES = 28  # pixels between two columns
_WIDEST_TOKEN = 144


class BeamLayout:
    """All lengths in logical pixels."""

    def __init__(self, tree: BeamTree, theme: Theme) -> None:
        self._tree = tree
        tokens, figures = QFontMetricsF(theme.token_font()), QFontMetricsF(theme.font(0.85))
        needed = [0.0] * (1 + max(node.position for node in tree.nodes))
        for node in tree.nodes:
            width = max(tokens.horizontalAdvance(f"✗ {node.token}"), figures.horizontalAdvance("0.000")) + 2 * GRID
            needed[node.position] = max(needed[node.position], min(width, theme.px(_WIDEST_TOKEN)))
        self.head_height = figures.height() + GRID / 2
        self._edges = theme.px(_EDGES)
        self._lefts = list(accumulate((width + self._edges for width in needed), initial=float(self._edges)))
        self._box_height = tokens.height() + figures.height() + 4
        self._row_height = self._box_height + GRID

    @property
    def num_positions(self) -> int:
        return len(self._lefts) - 1

    @property
    def width(self) -> float:
        return self._lefts[-1]

    @property
    def height(self) -> float:
        return self.head_height + (1 + max(node.rank for node in self._tree.nodes)) * self._row_height

    def box(self, index: int) -> QRectF:
        """The box of one hypothesis's newest token."""
        node = self._tree.nodes[index]
        left, right = self._lefts[node.position], self._lefts[node.position + 1] - self._edges
        return QRectF(left, self.head_height + node.rank * self._row_height, right - left, self._box_height)

    def head(self, position: int) -> QRectF:
        """Where the number of a position stands."""
        left, right = self._lefts[position], self._lefts[position + 1] - self._edges
        return QRectF(left, 0, right - left, self.head_height)

    def edge(self, index: int) -> tuple[QPointF, QPointF]:
        """From the parent's right side to the left side of the box; the first ones come from one point."""
        box, parent = self.box(index), self._tree.nodes[index].parent
        end = QPointF(box.left(), box.center().y())
        if parent < 0:
            return QPointF(GRID / 2, self.head_height + self._box_height / 2), end
        before = self.box(parent)
        return QPointF(before.right(), before.center().y()), end

    def node_at(self, point: QPointF) -> int | None:
        """The hypothesis under a point, None beside them."""
        return next((index for index in range(len(self._tree.nodes)) if self.box(index).contains(point)), None)
