"""All heads, small: one row a layer, one column a head; a click or an arrow key makes one the large map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from core.events import Prepared, ProbeDone
from core.history import History
from core.probes import Attention, ProbedSentence
from gui.colour_map import attention_table, image_of
from gui.panel import Panel
from gui.panels.attention_map import ARROWS
from gui.selection import KIND_TITLES, KINDS, Kind, Selection
from gui.theme import GRID, Theme


@dataclass(frozen=True, eq=False)
class HeadRow:
    """The heads of one layer of one kind."""

    kind: Kind
    layer: int
    heads: Attention  # [H, queries, keys]


class HeadGrid(Panel):
    """Every layer and head of the probe at step s, of all three kinds or of the chosen one alone."""

    title = "All heads"
    empty_sentence = "Every attention head appears here, small."
    redraw_on = (Prepared, ProbeDone)

    def __init__(self, theme: Theme, selection: Selection, *, all_kinds: bool) -> None:
        super().__init__(theme)
        self._selection, self._all_kinds = selection, all_kinds
        self.canvas = GridCanvas(theme, selection)
        self.body.addWidget(self.canvas, 1)

    def show_step(self, history: History, step: int) -> None:
        """Draw the newest probe at or before `step`."""
        probe = history.probe(step)
        sentence = None if probe is None else self._selection.sentence_of(probe)
        if sentence is None:
            self.show_empty()
            return
        self.show_body()
        kinds = KINDS if self._all_kinds else (self._selection.chosen.kind,)
        self.canvas.show_rows([row for kind in kinds for row in self._rows(sentence, kind)])

    def _rows(self, sentence: ProbedSentence, kind: Kind) -> list[HeadRow]:
        heads = self._selection.attention_of(sentence, kind)
        return [HeadRow(kind, layer, heads[layer]) for layer in range(heads.shape[0])]


class GridCanvas(QWidget):
    """Paints rows of heads and chooses among them."""

    def __init__(self, theme: Theme, selection: Selection) -> None:
        super().__init__()
        self._theme, self._selection = theme, selection
        self._rows: Sequence[HeadRow] = ()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("All attention heads; arrow keys choose the one shown large")

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(220), self._theme.px(160))

    def show_rows(self, rows: Sequence[HeadRow]) -> None:
        """Paint these."""
        self._rows = rows
        self.update()

    def cell(self, row: int, head: int) -> QRectF:
        """Where a head is painted."""
        left, top = self._label_width(), self.fontMetrics().height() + GRID // 2
        num_heads = max(len(one.heads) for one in self._rows)
        width = (self.width() - left) / num_heads
        height = (self.height() - top) / len(self._rows)
        gap = GRID / 2
        return QRectF(left + head * width, top + row * height, max(2.0, width - gap), max(2.0, height - gap))

    def _label_width(self) -> int:
        names = (f"{KIND_TITLES[row.kind]} {row.layer + 1}" for row in self._rows)
        return max(self.fontMetrics().horizontalAdvance(name) for name in names) + GRID

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._rows:
            return
        painter, table = QPainter(self), attention_table(self._theme.mode)
        self._paint_names(painter)
        frame, chosen = QPen(self._theme.colour("line"), 1), QPen(self._theme.colour("training"), 3)
        at_chosen = self._chosen_place()
        for row, layer in enumerate(self._rows):
            for head, weights in enumerate(layer.heads):
                cell = self.cell(row, head)
                painter.drawImage(cell, image_of(weights, table, square_root=self._selection.chosen.square_root))
                painter.setPen(chosen if (row, head) == at_chosen else frame)
                painter.drawRect(cell)

    def _paint_names(self, painter: QPainter) -> None:
        painter.setPen(self._theme.colour("muted"))
        height = self.fontMetrics().height()
        for head in range(max(len(row.heads) for row in self._rows)):
            cell = self.cell(0, head)
            fits = cell.width() > self.fontMetrics().horizontalAdvance("head 00")
            name = f"head {head + 1}" if fits else str(head + 1)
            painter.drawText(QRectF(cell.left(), 0, cell.width(), height), Qt.AlignmentFlag.AlignCenter, name)
        for row, layer in enumerate(self._rows):
            cell = self.cell(row, 0)
            place = QRectF(0, cell.center().y() - height / 2, self._label_width(), height)
            flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(place, flags, f"{KIND_TITLES[layer.kind]} {layer.layer + 1}")

    def _chosen_place(self) -> tuple[int, int]:
        chosen = self._selection.chosen
        rows = [at for at, row in enumerate(self._rows) if row.kind == chosen.kind]
        if not rows:
            return 0, 0
        row = rows[chosen.layer % len(rows)]
        return row, chosen.head % len(self._rows[row].heads)

    def _place_at(self, event: QMouseEvent | QHelpEvent) -> tuple[int, int] | None:
        places = ((row, head) for row, layer in enumerate(self._rows) for head in range(len(layer.heads)))
        return next((place for place in places if self.cell(*place).contains(event.pos())), None)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            place = self._place_at(event)
            QToolTip.showText(event.globalPos(), "" if place is None else self._explain(*place), self)
            return True
        return super().event(event)

    def _explain(self, row: int, head: int) -> str:
        layer = self._rows[row]
        return (
            f"{KIND_TITLES[layer.kind].capitalize()} attention, layer {layer.layer + 1}, head {head + 1}. Click: large."
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self._place_at(event)
        if place is not None:
            self._choose(*place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = ARROWS.get(Qt.Key(event.key()))
        if move is None or not self._rows:
            super().keyPressEvent(event)
            return
        row, head = self._chosen_place()
        row = (row + move[0]) % len(self._rows)
        self._choose(row, (head + move[1]) % len(self._rows[row].heads))

    def _choose(self, row: int, head: int) -> None:
        layer = self._rows[row]
        self._selection.choose(kind=layer.kind, layer=layer.layer, head=head)
        self.update()
