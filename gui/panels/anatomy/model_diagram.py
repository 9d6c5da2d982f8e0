"""The topic of the whole model: a diagram with this run's sizes, shapes and parameter counts."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from core.history import History
from gui.arrow_keys import ARROWS
from gui.panel import Table
from gui.panels.anatomy.box_texts import box_texts
from gui.panels.anatomy.model_blocks import Block, Stacks, model_blocks
from gui.panels.anatomy.topic import Topic
from gui.theme import GRID, Theme

BoxIndex = tuple[int, int]  # column, and number of the box from the bottom


class ModelTopic(Topic):
    """The encoder on the left, the decoder on the right, both from the bottom up; pointing at a box explains it."""

    title = "The whole model"
    about = (
        "The encoder reads the source at once; the decoder writes the target token by token, looking back at what it "
        "has written and over at the source. These are the shapes and the learned numbers of this model: S is "
        "how many tokens the source has, T the target so far."
    )
    equation = (
        "memory = encode(source)&nbsp;&nbsp;&nbsp;&nbsp;"
        "<i>p</i>(next token) = softmax(project(decode(target so far, memory)))"
    )
    paper = "section 3.1, figure 1"
    functions = (
        *("core.model.transformer:Transformer", "core.model.layers:EncoderLayer"),
        *("core.model.layers:DecoderLayer", "core.model_size:parameter_breakdown"),
    )

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.canvas = DiagramCanvas(theme)
        self.controls.hide()
        self.picture.addWidget(self.canvas, 1)
        self.canvas.pointed.connect(self._update_readout)
        self.canvas.moved_by_key.connect(self._scroll_into_view)

    def show_step(self, history: History, step: int) -> None:
        """Draw the prepared model."""
        if history.prepared is None:
            self.show_empty("Choose a dataset in Setup: its model appears here before anything is trained.")
            return
        self.show_body()
        stacks = model_blocks(history.prepared)
        self.set_title(f"{self.title} · {stacks.total:,} parameters")
        self.canvas.show_stacks(stacks)
        self._update_readout()

    def numbers(self) -> Table:
        """A row for each box, from the bottom up."""
        assert self.canvas.stacks is not None
        stacks = (("encoder", self.canvas.stacks.encoder), ("decoder", self.canvas.stacks.decoder))
        rows = (
            (name, one.name, one.shape, one.parameters, max(one.layers, 1)) for name, part in stacks for one in part
        )
        return [("stack", "box", "shape", "parameters", "layers"), *rows]

    def _scroll_into_view(self, box: QRectF) -> None:
        self.scroll_area.ensureVisible(round(box.center().x()), 0, round(box.width() / 2) + GRID, 0)

    def _update_readout(self) -> None:
        block = self.canvas.block
        if block is not None:
            self.readout_label.setText(describe(block))
            self.canvas.setAccessibleDescription(describe(block))


def describe(block: Block) -> str:
    """A box's shape, what it does, and its parameters."""
    numbers = f"{block.parameters:,} parameters" if block.parameters else "no parameters"
    if block.parameters and block.layers > 1:
        numbers += f" in each of {block.layers} layers, {block.total:,} in all"
    return f"{block.name} {block.shape}: {block.about} {numbers[0].upper()}{numbers[1:]}."


class DiagramCanvas(QWidget):
    """Emits `pointed` when the mouse or an arrow key chooses another box."""

    pointed = Signal()
    moved_by_key = Signal(QRectF)  # the rectangle of the box that an arrow key chose

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.stacks: Stacks | None = None
        self._chosen: BoxIndex = (0, 1)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Diagram of the model; arrow keys go from box to box")

    @property
    def block(self) -> Block | None:
        """The chosen box."""
        column, index = self._chosen
        return None if self.stacks is None else self.stacks.columns[column][index]

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(560), self._theme.px(320))

    def show_stacks(self, stacks: Stacks) -> None:
        """Paint this model."""
        self.stacks = stacks
        column, index = self._chosen
        self._chosen = column, min(index, len(stacks.columns[column]) - 1)
        self.update()

    def rect_of(self, column: int, index: int) -> QRectF:
        """The rectangle of a box."""
        assert self.stacks is not None
        rows = max(map(len, self.stacks.columns))
        side = self._theme.px(56)  # room for residual connections and the number of layers
        width = min((self.width() - 4.0 * side) / 2, self._theme.px(400))
        pitch = min(self.height() / rows, self._theme.px(56))
        left = self.width() / 2 + (side * 0.75 if column else -side * 0.75 - width)
        bottom = self.height() / 2 + pitch * rows / 2
        return QRectF(left, bottom - (index + 1) * pitch + pitch * 0.14, width, pitch * 0.72)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.stacks is not None:
            with QPainter(self) as painter:  # ends the painter even if an exception is raised
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                for column, blocks in enumerate(self.stacks.columns):
                    self._paint_frame(painter, column, blocks)
                    self._paint_column(painter, column, blocks)
                self._paint_memory(painter, self.stacks)

    def _paint_frame(self, painter: QPainter, column: int, blocks: tuple[Block, ...]) -> None:
        """Paint the frame around the boxes of a layer, and the number of layers."""
        inner = [index for index, block in enumerate(blocks) if block.layers]
        frame = self.rect_of(column, inner[-1]).united(self.rect_of(column, inner[0]))
        gap = self.rect_of(column, 0).height() * 0.16
        frame.adjust(-self._theme.px(20), -gap, self._theme.px(20), gap)
        painter.setPen(QPen(self._theme.colour("line"), 1.5))
        painter.setBrush(self._theme.colour("window"))
        painter.drawRoundedRect(frame, GRID, GRID)
        painter.setPen(self._theme.colour("muted"))
        painter.setFont(self._theme.font(1.1, bold=True))
        width, middle = self._theme.px(40), Qt.AlignmentFlag.AlignVCenter
        left = frame.right() + GRID / 2 if column else frame.left() - width - GRID / 2
        side = Qt.AlignmentFlag.AlignLeft if column else Qt.AlignmentFlag.AlignRight
        painter.drawText(
            QRectF(left, frame.top(), width, frame.height()), side | middle, f"× {blocks[inner[0]].layers}"
        )

    def _paint_column(self, painter: QPainter, column: int, blocks: tuple[Block, ...]) -> None:
        for index, block in enumerate(blocks):
            if index:
                self._paint_arrow(painter, column, index)
            if block.skips:
                self._paint_residual(painter, column, index, index + block.skips)
        chosen = None if self._theme.is_exporting else self._chosen
        for index, block in enumerate(blocks):
            self._paint_box(painter, self.rect_of(column, index), block, is_chosen=chosen == (column, index))

    def _paint_box(self, painter: QPainter, rect: QRectF, block: Block, *, is_chosen: bool) -> None:
        """Paint a box with its name, shape and number of parameters side by side."""
        theme = self._theme
        painter.setBrush(theme.colour("hover" if is_chosen else "surface"))
        painter.setPen(QPen(theme.colour("training" if is_chosen else "line"), 2 if is_chosen else 1))
        painter.drawRoundedRect(rect, GRID / 2, GRID / 2)
        painter.setFont(theme.font(0.95))
        for text, area, colour in box_texts(rect.adjusted(GRID, 0, -GRID, 0), block, painter.fontMetrics()):
            painter.setPen(theme.colour(colour))
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip, text)

    def _paint_arrow(self, painter: QPainter, column: int, index: int) -> None:
        """Paint the arrow from the box below into this one."""
        below, above = self.rect_of(column, index - 1), self.rect_of(column, index)
        x = above.center().x()
        painter.setPen(QPen(self._theme.colour("muted"), 1))
        painter.drawLine(QPointF(x, below.top()), QPointF(x, above.bottom()))

    def _paint_residual(self, painter: QPainter, column: int, first: int, after: int) -> None:
        """Paint the connection that bypasses the boxes from `first` on, and enters the arrow below `after`."""
        out = -1.0 if column == 0 else 1.0
        gap = self.rect_of(column, 1).top() - self.rect_of(column, 2).bottom()
        enters, leaves = self.rect_of(column, first), self.rect_of(column, after)
        x = enters.center().x()
        edge = (enters.right() if column else enters.left()) + out * self._theme.px(10)
        bottom, top = enters.bottom() + gap * 0.25, leaves.bottom() + gap * 0.6
        painter.setPen(QPen(self._theme.colour("good"), 1.5))
        painter.drawPolyline([QPointF(x, bottom), QPointF(edge, bottom), QPointF(edge, top), QPointF(x, top)])
        self._paint_plus(painter, QPointF(x, top), min(self._theme.px(4.5), gap * 0.4))  # boxes hide a larger one

    def _paint_plus(self, painter: QPainter, centre: QPointF, radius: float) -> None:
        """Paint the plus sign where the residual is added."""
        painter.setBrush(self._theme.colour("surface"))
        painter.drawEllipse(centre, radius, radius)
        painter.drawLine(centre - QPointF(radius, 0), centre + QPointF(radius, 0))
        painter.drawLine(centre - QPointF(0, radius), centre + QPointF(0, radius))

    def _paint_memory(self, painter: QPainter, stacks: Stacks) -> None:
        """Paint the arrow from the memory to the box that reads it."""
        memory = next(index for index, block in enumerate(stacks.encoder) if block.is_memory)
        reader = next(index for index, block in enumerate(stacks.decoder) if block.reads_memory)
        left, right = self.rect_of(0, memory), self.rect_of(1, reader)
        start, tip = QPointF(left.right(), left.center().y()), QPointF(right.left(), right.center().y())
        middle, size = (start.x() + tip.x()) / 2 - self._theme.px(4), self._theme.px(5)
        painter.setPen(QPen(self._theme.colour("training"), 2))
        painter.drawPolyline([start, QPointF(middle, start.y()), QPointF(middle, tip.y()), tip])
        painter.setBrush(self._theme.colour("training"))
        painter.drawPolygon([tip, tip + QPointF(-size, -size), tip + QPointF(-size, size)])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.stacks is None:
            return
        for column, blocks in enumerate(self.stacks.columns):
            for index in range(len(blocks)):
                if self.rect_of(column, index).contains(event.position()):
                    self._choose(column, index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = ARROWS.get(Qt.Key(event.key()))
        if move is None or self.stacks is None:
            super().keyPressEvent(event)
            return
        column = (self._chosen[0] + move[1]) % 2
        size = len(self.stacks.columns[column])
        self._choose(column, min(max(self._chosen[1] - move[0], 0), size - 1))
        self.moved_by_key.emit(self.rect_of(*self._chosen))

    def _choose(self, column: int, index: int) -> None:
        if (column, index) != self._chosen:
            self._chosen = column, index
            self.update()
            self.pointed.emit()
