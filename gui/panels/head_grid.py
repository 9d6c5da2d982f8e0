"""All heads, small: one row a layer, one column a head; a click or an arrow key makes one the large map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEngine,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from core.alignment import FOUND, AlignedHead
from core.events import Prepared, ProbeDone
from core.history import History
from core.probes import Attention, ProbedSentence
from gui.colour_map import attention_table, image_of
from gui.panel import Panel, Table
from gui.panels.attention_map import ARROWS
from gui.panels.grid_layout import GridLayout
from gui.selection import KIND_TITLES, KINDS, Kind, Selection
from gui.shown_sentence import NothingShown, Source, probed
from gui.theme import Theme

_VECTOR = (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf)


@dataclass(frozen=True, eq=False)
class HeadRow:
    """The heads of one layer of one kind."""

    kind: Kind
    layer: int
    heads: Attention  # [H, queries, keys]


class HeadGrid(Panel):
    """Every layer and head of one sentence at step s, of all three kinds or of the chosen one alone.

    `all_kinds` may be changed at any time; the next drawing follows it.
    """

    title = "All heads"
    empty_sentence = "Every attention head appears here, small."
    redraw_on = (Prepared, ProbeDone)
    is_picture = True

    def __init__(self, theme: Theme, selection: Selection, source: Source | None = None, *, all_kinds: bool) -> None:
        super().__init__(theme)
        self.all_kinds = all_kinds
        self._selection = selection
        self._source = source or probed(selection)
        self.canvas = GridCanvas(theme, selection)
        self.title_label.setToolTip(
            "Alignment: of the target tokens whose source words the dataset knows, the share at which the best head "
            f"reads most from one of these. Since: from when on it has been at least {FOUND}; ★ marks it then."
        )
        self.body.addWidget(self.canvas, 1)

    def show_step(self, history: History, step: int) -> None:
        """Draw the heads with the newest weights at or before `step`."""
        shown = self._source(history, step)
        if isinstance(shown, NothingShown):
            self.set_title(self.title)
            self.show_empty(shown.reason)
            return
        self.show_body()
        kinds = KINDS if self.all_kinds else (self._selection.chosen.kind,)
        aligned = history.alignment.best(shown.step)
        self.canvas.show_rows([row for kind in kinds for row in self._rows(shown.sentence, kind)], aligned)
        self.set_title(self.title + (f" · {_praise(aligned)}" if aligned is not None else ""))

    def numbers(self) -> Table:
        """A line for each weight; layers, heads, rows and columns count from 1."""
        weights = (
            (row.kind, row.layer + 1, *(place + 1 for place in places), float(weight))
            for row in self.canvas.rows
            for places, weight in np.ndenumerate(row.heads)
        )
        return [("kind", "layer", "head", "row", "column", "weight"), *weights]

    def _rows(self, sentence: ProbedSentence, kind: Kind) -> list[HeadRow]:
        heads = self._selection.attention_of(sentence, kind)
        return [HeadRow(kind, layer, heads[layer]) for layer in range(heads.shape[0])]


def _praise(aligned: AlignedHead) -> str:
    found = f" since step {aligned.since:,}" if aligned.since is not None else ""
    return f"cross {aligned.layer + 1} head {aligned.head + 1}: alignment {aligned.score:.2f}{found}"


class GridCanvas(QWidget):
    """Paints rows of heads and chooses among them.

    All heads are painted into a picture kept until they, the size or the colours change: choosing only moves a frame.
    """

    def __init__(self, theme: Theme, selection: Selection) -> None:
        super().__init__()
        self._theme, self._selection = theme, selection
        self.rows: Sequence[HeadRow] = ()
        self._aligned: AlignedHead | None = None
        self._picture: QPixmap | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("All attention heads; arrow keys choose the one shown large")

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(220), self._theme.px(160))

    def show_rows(self, rows: Sequence[HeadRow], aligned: AlignedHead | None = None) -> None:
        """Paint these, with a star at the head that found the alignment."""
        self.rows, self._aligned, self._picture = rows, aligned, None
        self.update()

    def cell(self, row: int, head: int) -> QRectF:
        """Where a head is painted."""
        return self._layout().cell(row, head)

    def _layout(self) -> GridLayout:
        names = [f"{KIND_TITLES[row.kind]} {row.layer + 1}" for row in self.rows]
        return GridLayout(QSizeF(self.size()), names, [len(row.heads) for row in self.rows], self.fontMetrics())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._picture = None

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.rows:
            return
        with QPainter(self) as painter:
            if painter.paintEngine().type() in _VECTOR:  # for a file: text stays text
                self._paint_rows(painter)
            else:
                self._picture = self._picture or self._painted()
                painter.drawPixmap(0, 0, self._picture)
            painter.setPen(QPen(self._theme.colour("training"), 3))
            painter.drawRect(self.cell(*self.chosen_place()))

    def _painted(self) -> QPixmap:
        scale = self.devicePixelRatioF()
        picture = QPixmap(self.size() * scale)
        picture.setDevicePixelRatio(scale)
        picture.fill(self._theme.colour("surface"))
        with QPainter(picture) as painter:
            self._paint_rows(painter)
        return picture

    def _paint_rows(self, painter: QPainter) -> None:
        layout = self._layout()
        painter.setFont(self.font())
        painter.setPen(self._theme.colour("muted"))
        layout.paint_names(painter)
        painter.setPen(QPen(self._theme.colour("line"), 1))
        table, square_root = attention_table(self._theme.mode), self._selection.chosen.square_root
        for row, layer in enumerate(self.rows):
            num_heads, height, width = layer.heads.shape
            beside = layer.heads.transpose(1, 0, 2).reshape(height, num_heads * width)
            image = image_of(beside, table, square_root=square_root)  # of a whole row: fewer calls
            for head in range(num_heads):
                cell = layout.cell(row, head)
                painter.drawImage(cell, image.copy(head * width, 0, width, height))  # an SVG knows no part of an image
                painter.drawRect(cell)
        self._paint_star(painter, layout)

    def _paint_star(self, painter: QPainter, layout: GridLayout) -> None:
        aligned = self._aligned
        if aligned is None or aligned.since is None:
            return
        painter.setPen(self._theme.colour("validation"))
        for row, layer in enumerate(self.rows):
            if (layer.kind, layer.layer) == ("cross", aligned.layer):
                painter.drawText(layout.cell(row, aligned.head), Qt.AlignmentFlag.AlignRight, "★")

    def chosen_place(self) -> tuple[int, int]:
        """Row and column of the chosen head."""
        chosen = self._selection.chosen
        rows = [at for at, row in enumerate(self.rows) if row.kind == chosen.kind]
        if not rows:
            return 0, 0
        row = rows[chosen.layer % len(rows)]
        return row, chosen.head % len(self.rows[row].heads)

    def _place_at(self, point: QPoint) -> tuple[int, int] | None:
        return self._layout().place_at(point) if self.rows else None

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            place = self._place_at(event.pos())
            QToolTip.showText(event.globalPos(), "" if place is None else self._explain(*place), self)
            return True
        return super().event(event)

    def _explain(self, row: int, head: int) -> str:
        layer = self.rows[row]
        return (
            f"{KIND_TITLES[layer.kind].capitalize()} attention, layer {layer.layer + 1}, head {head + 1}. Click: large."
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self._place_at(event.position().toPoint())
        if place is not None:
            self._choose(*place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = ARROWS.get(Qt.Key(event.key()))
        if move is None or not self.rows:
            super().keyPressEvent(event)
            return
        row, head = self.chosen_place()
        row = (row + move[0]) % len(self.rows)
        self._choose(row, (head + move[1]) % len(self.rows[row].heads))

    def _choose(self, row: int, head: int) -> None:
        layer = self.rows[row]
        self._selection.choose(kind=layer.kind, layer=layer.layer, head=head)
        self.update()
