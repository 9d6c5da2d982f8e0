"""Paints a beam search as a tree: kept and cut hypotheses, and the paths of the best and the greedy output."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from core.answers.beam_tree import BeamNode, BeamTree, Fate
from gui.arrow_keys import ARROWS
from gui.panels.translation.beam_layout import BeamLayout
from gui.sentences.beam_text import describe_node
from gui.sentences.tokens import probability_text
from gui.theme import GRID, Theme
from gui.widgets.scroll_areas import FramelessScrollArea

_STRONGEST_PX = 6.0
_MARKS: dict[Fate, str] = {"went on": "", "cut": "✗ ", "finished": "✓ ", "too long": "… "}


class BeamCanvas(QWidget):
    """Emits `pointed` with the node that the mouse or an arrow key points at; after a key, `moved_by_key` as well."""

    pointed = Signal(int)
    moved_by_key = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.tree: BeamTree | None = None
        self._layout: BeamLayout | None = None
        self._best: frozenset[int] = frozenset()
        self._greedy: frozenset[int] = frozenset()
        self._node = 0
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("The beam as a tree; arrow keys go from hypothesis to hypothesis")

    def show_tree(self, tree: BeamTree) -> None:
        """Paint this tree."""
        self.tree, self._layout = tree, BeamLayout(tree, self._theme, self.size())
        self._best = frozenset(tree.path(tree.outputs[0].tokens))
        self._greedy = frozenset(tree.path(tree.greedy.tokens))
        self._point_at(min(self._node, len(tree.nodes) - 1))
        self.setMinimumSize(self._layout.least)
        self.update()

    def marked_box(self) -> QRectF:
        """The box of the hypothesis pointed at."""
        return QRectF() if self._layout is None else self._layout.box(self._node)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self.tree is not None:
            self._layout = BeamLayout(self.tree, self._theme, event.size())

    def sizeHint(self) -> QSize:
        return QSize() if self._layout is None else self._layout.least

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.tree is not None and self._layout is not None:
            with QPainter(self) as painter:  # ends the painter even if an exception is raised
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                self._paint(painter, self.tree, self._layout, QRectF(event.rect()))

    def _paint(self, painter: QPainter, tree: BeamTree, layout: BeamLayout, seen: QRectF) -> None:
        painter.setFont(self._theme.font(0.85))
        painter.setPen(self._theme.colour("muted"))
        for position in range(layout.num_positions):
            painter.drawText(layout.number_rect(position), Qt.AlignmentFlag.AlignHCenter, f"{position + 1}")
        for index in sorted(range(len(tree.nodes)), key=lambda index: index in self._best):  # the best path on top
            painter.setPen(self._edge_pen(index, tree.nodes[index]))
            painter.drawLine(*layout.edge(index))
        for index, node in enumerate(tree.nodes):
            if layout.box(index).adjusted(-GRID, -GRID, GRID, GRID).intersects(seen):  # of perhaps thousands
                self._paint_node(painter, layout, index, node)

    def _edge_pen(self, index: int, node: BeamNode) -> QPen:
        strength = node.probability if 0.0 <= node.probability <= 1.0 else 0.0  # NaN from a diverged model
        colour = self._theme.colour("training" if index in self._best else "line")
        return QPen(colour, 1 + (_STRONGEST_PX - 1) * strength)

    def _paint_node(self, painter: QPainter, layout: BeamLayout, index: int, node: BeamNode) -> None:
        box, is_best = layout.box(index), index in self._best
        painter.setBrush(self._theme.colour("hover" if is_best else "surface"))
        painter.setPen(QPen(self._theme.colour("training" if is_best else "line"), 2 if is_best else 1))
        painter.drawRoundedRect(box, 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if index in self._greedy - self._best:
            painter.setPen(QPen(self._theme.colour("validation"), 1.5, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(box.adjusted(-3, -3, 3, 3), 6, 6)
        painter.setPen(self._theme.colour("muted" if node.fate == "cut" else "text"))
        painter.setFont(self._theme.token_font())
        metrics = painter.fontMetrics()
        text = metrics.elidedText(_MARKS[node.fate] + node.token, Qt.TextElideMode.ElideRight, int(box.width()) - GRID)
        painter.drawText(box.adjusted(0, 1, 0, 0), Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, text)
        painter.setFont(self._theme.font(0.85))
        painter.setPen(self._theme.colour("muted"))
        figure = probability_text(node.probability)
        painter.drawText(
            box.adjusted(0, 0, 0, -2), Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, figure
        )
        if index == self._node and not self._theme.is_exporting:
            painter.setPen(QPen(self._theme.colour("training" if self.hasFocus() else "text"), 2))
            painter.drawLine(box.bottomLeft(), box.bottomRight())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        index = self._layout.node_at(event.position()) if self._layout is not None else None
        if index is not None and index != self._node:
            self._point_at(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = ARROWS.get(Qt.Key(event.key()))
        if move is None or self.tree is None:
            super().keyPressEvent(event)
        else:
            self._point_at(_neighbour(self.tree, self._node, *move))
            self.moved_by_key.emit()

    def _point_at(self, index: int) -> None:
        assert self.tree is not None
        self._node = index
        self.setAccessibleDescription(describe_node(self.tree, index))
        self.pointed.emit(index)
        self.update()


class BeamScrollArea(FramelessScrollArea):
    """Scrolls to the node that a key leads to; pointing with the mouse does not scroll."""

    def __init__(self, canvas: BeamCanvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._follows = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        canvas.pointed.connect(self._leave)
        canvas.moved_by_key.connect(self._scroll_to_node)

    def sizeHint(self) -> QSize:
        """The least size: with the whole tree's height, the page around it would scroll too."""
        return self.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._follows:  # the text about the hypothesis took another line
            self._scroll_to_node()

    def _leave(self) -> None:
        self._follows = False

    def _scroll_to_node(self) -> None:
        """Scroll to the node, with the edge that leads to it and the number above if there is room."""
        self._follows = True
        box, room = self._canvas.marked_box(), self.viewport().rect()
        around = box.toAlignedRect().adjusted(-3 * GRID, -3 * GRID, 3 * GRID, 3 * GRID)
        width, height = min(around.width(), room.width()), min(around.height(), room.height())
        self.ensureVisible(*box.center().toPoint().toTuple(), width // 2, height // 2)


def _neighbour(tree: BeamTree, index: int, across: int, along: int) -> int:
    """A node's parent, its best child, or its neighbour at the same position; the node itself if there is none."""
    node = tree.nodes[index]
    if along < 0:
        return node.parent if node.parent >= 0 else index
    if along > 0:
        return next((i for i, other in enumerate(tree.nodes) if other.parent == index), index)
    wanted = (node.position, node.rank + across)
    return next((i for i, other in enumerate(tree.nodes) if (other.position, other.rank) == wanted), index)
