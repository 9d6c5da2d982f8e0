"""Paints all heads side by side; a click or an arrow key chooses one, and a menu switches one off."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QFont,
    QFontMetricsF,
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
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from core.analysis.alignment import AlignedHead
from core.answers.head_ablation import HeadId
from core.per_cent import per_cent
from gui.arrow_keys import ARROWS
from gui.heads.disabled_heads import DisabledHeads
from gui.heads.head_picture import DIVERGED
from gui.heads.head_row import HeadRow
from gui.panels.attention.grid_layout import GridLayout
from gui.pictures.colour_map import attention_image
from gui.sentences.selection import KIND_TITLES, Selection
from gui.theme import Theme

FOUND_SIGN = "◆"  # marks the head that found the alignment (a star marks the best validation)
_VECTOR = (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf)


class GridCanvas(QWidget):
    """Paints rows of heads, and lets the user choose one.

    The heads are painted into a pixmap that is kept until they, the size or the colours change, so that choosing only
    moves a frame.
    """

    def __init__(self, theme: Theme, selection: Selection, disabled_heads: DisabledHeads | None = None) -> None:
        super().__init__()
        self._theme, self._selection, self._disabled_heads = theme, selection, disabled_heads
        self.rows: Sequence[HeadRow] = ()
        self._with_entropy = False
        self._aligned: AlignedHead | None = None
        self._picture: QPixmap | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("All attention heads; arrow keys choose the one shown large")

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(184), self._theme.px(160))

    def show_rows(
        self, rows: Sequence[HeadRow], aligned: AlignedHead | None = None, *, with_entropy: bool = False
    ) -> None:
        """Paint these rows, with a diamond at the head that found the alignment; with each head's entropy if asked."""
        self.rows, self._aligned, self._with_entropy, self._picture = rows, aligned, with_entropy, None
        if self.hasFocus():  # else the figures of the head are computed for nobody
            self._describe_chosen()
        self.update()

    def cell(self, row: int, head: int) -> QRectF:
        """The rectangle of a head."""
        return self._layout().cell(row, head)

    def _layout(self) -> GridLayout:
        names = [f"{KIND_TITLES[row.kind]} {row.layer + 1}" for row in self.rows]
        note = QFontMetricsF(self._note_font).height() if self._with_entropy else 0.0
        return GridLayout(QSizeF(self.size()), names, [len(row.heads) for row in self.rows], self.fontMetrics(), note)

    @property
    def _note_font(self) -> QFont:
        return self._theme.font(0.85)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._picture = None

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.rows:
            return
        with QPainter(self) as painter:
            if self._is_export(painter):  # text stays text, and sharp
                self._paint_rows(painter)
            else:
                self._picture = self._picture or self._pixmap()
                painter.drawPixmap(0, 0, self._picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._cross_out(painter)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            if not self._theme.is_exporting:
                painter.setPen(QPen(self._theme.colour("training"), 3))
                painter.drawRect(self._chosen_frame())

    def _is_export(self, painter: QPainter) -> bool:
        """Whether the painter writes vector graphics, or at another scale than the screen's."""
        is_vector = painter.paintEngine().type() in _VECTOR
        return is_vector or painter.deviceTransform().m11() != self.devicePixelRatioF()

    def _chosen_frame(self) -> QRectF:
        """The frame around the chosen head, or around all heads of its layer if they are pooled."""
        row, head = self.chosen_cell()
        if not self._selection.chosen.pooled:
            return self.cell(row, head)
        return self.cell(row, 0).united(self.cell(row, len(self.rows[row].heads) - 1))

    def _cross_out(self, painter: QPainter) -> None:
        """Fade and cross out the heads that are off."""
        if self._disabled_heads is None or not self._disabled_heads.heads:
            return
        layout = self._layout()
        painter.setPen(QPen(self._theme.colour("bad"), 2))
        for row, head in self._cells():
            if self._head_at(row, head) in self._disabled_heads.heads:
                cell = layout.cell(row, head)
                painter.fillRect(cell, self._theme.colour("surface", 0.7))
                painter.drawLine(cell.topLeft(), cell.bottomRight())
                painter.drawLine(cell.bottomLeft(), cell.topRight())

    def _cells(self) -> Iterator[tuple[int, int]]:
        """Row and column of every head."""
        return ((row, head) for row, layer in enumerate(self.rows) for head in range(len(layer.heads)))

    def _head_at(self, row: int, head: int) -> HeadId:
        return HeadId(self.rows[row].kind, self.rows[row].layer, head)

    def _pixmap(self) -> QPixmap:
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
        mode, square_root = self._theme.mode, self._selection.chosen.square_root
        for row, layer in enumerate(self.rows):
            weights = layer.shown_weights
            num_heads, height, width = weights.shape
            beside = weights.transpose(1, 0, 2).reshape(height, num_heads * width)  # one image for the whole row
            image = attention_image(beside, mode, square_root=square_root, is_difference=layer.other is not None)
            for head in range(num_heads):
                cell = layout.cell(row, head)
                painter.drawImage(cell, image.copy(head * width, 0, width, height))  # SVG cannot draw part of an image
                painter.drawRect(cell)
        if self._with_entropy:
            self._write_entropy(painter, layout)
        self._paint_found(painter, layout)

    def _write_entropy(self, painter: QPainter, layout: GridLayout) -> None:
        """Write under each head as much of its entropy as there is room for."""
        painter.setFont(self._note_font)
        painter.setPen(self._theme.colour("text"))
        metrics = painter.fontMetrics()
        for row, head in self._cells():
            nats, share = (float(figures[head]) for figures in self.rows[row].entropy)
            line = layout.note(row, head)
            texts = (f"{nats:.2f} nats · {per_cent(share)}", f"{nats:.2f} · {per_cent(share)}", per_cent(share))
            text = next((text for text in texts if metrics.horizontalAdvance(text) <= line.width()), "")
            if line.height() and not math.isnan(nats):
                painter.drawText(line, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_found(self, painter: QPainter, layout: GridLayout) -> None:
        """Mark the head that found the alignment with the same sign as in the time strip."""
        aligned = self._aligned
        if aligned is None or aligned.since is None:
            return
        painter.setPen(self._theme.colour("good"))
        for row, layer in enumerate(self.rows):
            if (layer.kind, layer.layer) == ("cross", aligned.layer):
                painter.drawText(layout.cell(row, aligned.head), Qt.AlignmentFlag.AlignRight, FOUND_SIGN)

    def chosen_cell(self) -> tuple[int, int]:
        """Row and column of the chosen head."""
        chosen = self._selection.chosen
        rows = [at for at, row in enumerate(self.rows) if row.kind == chosen.kind]
        if not rows:
            return 0, 0
        row = rows[chosen.layer % len(rows)]
        return row, chosen.head % len(self.rows[row].heads)

    def _cell_at(self, point: QPoint) -> tuple[int, int] | None:
        return self._layout().cell_at(point) if self.rows else None

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            cell = self._cell_at(event.pos())
            QToolTip.showText(event.globalPos(), "" if cell is None else self._explain(*cell), self)
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._describe_chosen()

    def _describe_chosen(self) -> None:
        """Tell a screen reader of the chosen head what its tooltip says."""
        self.setAccessibleDescription(self._explain(*self.chosen_cell()) if self.rows else "")

    def _explain(self, row: int, head: int) -> str:
        head_id = self._head_at(row, head)
        name = f"{KIND_TITLES[head_id.kind].capitalize()}-attention, layer {head_id.layer + 1}, head {head_id.head + 1}"
        nats, share = (float(figures[head]) for figures in self.rows[row].entropy)
        name += f". {DIVERGED}" if math.isnan(nats) else f". Entropy {nats:.2f} nats, {per_cent(share)} of the highest"
        scores = self.rows[row].alignment
        if scores is not None:
            name += f". Alignment {scores[head]:.2f}{self._describe_finding(head_id)}"
        if self._disabled_heads is None or self._disabled_heads.unavailable_reason:
            return f"{name}. Click: large."
        if head_id in self._disabled_heads.heads:
            return f"{name}. Switched off. Right click: switch on."
        return f"{name}. Click: large. Right click: switch off."

    def _describe_finding(self, head_id: HeadId) -> str:
        found = self._aligned
        if found is None or found.since is None or head_id != HeadId("cross", found.layer, found.head):
            return ""
        return f", the best head's since {found.since:,} ({FOUND_SIGN})"

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._cell_at(event.position().toPoint())
        if cell is not None:
            self._choose(*cell)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the head that was right-clicked; the menu key opens that of the chosen head."""
        if self._disabled_heads is None or not self.rows:
            return
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        cell = self._cell_at(event.pos()) if by_mouse else self.chosen_cell()
        if cell is not None:
            corner = event.globalPos() if by_mouse else self.mapToGlobal(self.cell(*cell).center().toPoint())
            self._menu(self._disabled_heads, *cell).popup(corner)

    def _menu(self, disabled_heads: DisabledHeads, row: int, head: int) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        head_id = self._head_at(row, head)
        layer = [self._head_at(row, other) for other in range(len(self.rows[row].heads))]
        is_off = head_id in disabled_heads.heads
        menu.addAction("Switch on" if is_off else "Switch off", lambda: disabled_heads.toggle(head_id))
        menu.addAction("Switch off the whole layer", lambda: disabled_heads.disable(layer))
        menu.addAction("All heads on again", disabled_heads.enable_all).setEnabled(bool(disabled_heads.heads))
        if disabled_heads.unavailable_reason:
            _disable(menu, disabled_heads.unavailable_reason)
        return menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = ARROWS.get(Qt.Key(event.key()))
        if move is None or not self.rows:
            super().keyPressEvent(event)
            return
        row, head = self.chosen_cell()
        row = (row + move[0]) % len(self.rows)
        self._choose(row, (head + move[1]) % len(self.rows[row].heads))

    def _choose(self, row: int, head: int) -> None:
        layer = self.rows[row]
        self._selection.choose(kind=layer.kind, layer=layer.layer, head=head)
        self._describe_chosen()
        self.update()


def _disable(menu: QMenu, reason: str) -> None:
    """Disable all entries of a menu; their tooltips give the reason."""
    menu.setToolTipsVisible(True)
    for action in menu.actions():
        action.setEnabled(False)
        action.setToolTip(reason)
