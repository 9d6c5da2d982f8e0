"""The confusion matrix of target symbols, free-running: rows are the reference, columns the output."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QResizeEvent

from core.analysis.confusion import ADDED, LEFT_OUT, Confusion
from core.analysis.validation_figures import ValidationFigures
from gui.panel import Table
from gui.panels.anatomy.matrix_canvas import Matrix, MatrixCanvas
from gui.panels.validation.validation_panel import ValidationPanel
from gui.pictures.colour_map import attention_table, image_of
from gui.sentences.tokens import quoted
from gui.theme import Theme
from gui.validation_reader import ValidationReader

_LEGEND = (
    "Rows: expected. Columns: written. The diagonal is right. Colour: the square root of a cell's share of its row."
)
_HELP = "Click a cell for its sentences."
_SHORT_LEGEND = "Rows: expected. Columns: written."
_LOW = 280  # pixels at 100 %: a lower panel has no room for its symbols below the whole legend
_ALL_RIGHT = "Nothing is confused: every symbol is written as it should be."


class ConfusionMap(ValidationPanel):
    """For the validation at step s. `chosen` carries the places of a cell's sentences, and what they have in common."""

    title = "Confusion"
    empty_sentence = "Confused symbols appear here after the first validation."
    title_suffix = ", free-running"
    chosen = Signal(tuple, str)

    def __init__(self, theme: Theme, reader: ValidationReader) -> None:
        super().__init__(theme, reader)
        self._confusion: Confusion | None = None
        self._at = 0
        self.canvas = ConfusionCanvas(theme)
        self.canvas.pointed.connect(self._point)
        self.canvas.clicked.connect(self._choose)
        self.body.addWidget(self.canvas, 1)
        self.body.addWidget(self.readout)

    def draw(self, figures: ValidationFigures) -> None:
        if figures.confusion is not self._confusion:
            self._at, self._confusion = figures.step, figures.confusion
            self.canvas.setAccessibleDescription("")
            self.canvas.show_matrix(
                Matrix("", self._confusion.shares, self._confusion.symbols, self._confusion.written, decimals=None),
                (None, None),  # the mark is dropped: rows and columns are other symbols now, or fewer
            )
        self._fit_legend()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_legend()

    def _fit_legend(self) -> None:
        """Say how to read the map, unless a cell is pointed at; in a low panel say less, so that symbols have room."""
        if self._confusion is None:
            return
        is_confused, is_low = self._confusion.is_confused, self.height() < self.theme.px(_LOW)
        whole = legend_of(self._confusion)
        self.legend = _SHORT_LEGEND if is_confused and is_low else whole
        self.canvas.setToolTip(f"{whole} {_HELP}" if self.legend != whole else "")
        if self.canvas.mark == (None, None):
            self.readout.setText(f"{self.legend} {_HELP}" if is_confused and not is_low else self.legend)

    def numbers(self) -> Table:
        """How often each symbol was written as which other."""
        assert self._confusion is not None
        rows = zip(self._confusion.symbols, self._confusion.counts.tolist(), strict=True)
        return [("", *self._confusion.written), *((symbol, *counts) for symbol, counts in rows)]

    def _point(self, row: int, column: int) -> None:
        assert self._confusion is not None
        self.canvas.mark = row, column
        self.canvas.update()
        text = explain(self._confusion, row, column)
        self.readout.setText(text)
        self.canvas.setAccessibleDescription(text)

    def _choose(self, row: int, column: int) -> None:
        assert self._confusion is not None
        pair = self._confusion.symbols[row], self._confusion.written[column]
        if indices := self._confusion.sentence_indices(*pair):
            self.chosen.emit(indices, f"{describe_error(*pair)} at step {self._at:,}")


class ConfusionCanvas(MatrixCanvas):
    """Colours by the square root, since errors are rare; a click or Enter emits `clicked` with (row, column)."""

    clicked = Signal(int, int)

    def _matrix_area(self) -> QRectF:
        """The whole widget: the panel already has a title."""
        return QRectF(self.rect()).adjusted(0, 0, -2, -2)

    def _image(self, matrix: Matrix) -> QImage:
        return image_of(matrix.values, attention_table(self._theme.mode), square_root=True)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.matrix is not None:
            cell = self.layout_of(self.matrix).cell_at(event.position())
            if cell is not None:
                self.pointed.emit(*cell)
                self.clicked.emit(*cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, column = self.mark
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row is not None and column is not None:
            self.clicked.emit(row, column)
        else:
            super().keyPressEvent(event)


def legend_of(confusion: Confusion) -> str:
    """How to read the map, and how many of the errors it shows."""
    if not confusion.is_confused:
        return _ALL_RIGHT
    shown, errors = confusion.errors_shown, confusion.errors
    return _LEGEND if shown == errors else f"{_LEGEND} {shown:,} of {errors:,} errors are shown."


def explain(confusion: Confusion, row: int, column: int) -> str:
    """What a cell means, in words."""
    count, total = int(confusion.counts[row, column]), int(confusion.times[row])
    happened = describe_error(confusion.symbols[row], confusion.written[column])
    return f"{happened[0].upper()}{happened[1:]}: {count:,} of {total:,} time{'s' * (total != 1)}."


def describe_error(wanted: str, written: str) -> str:
    """What it means that `wanted` was written as `written`, in words."""
    if wanted == written:
        return f"{quoted(wanted)} right"
    if wanted == ADDED:
        return f"{quoted(written)} added"
    return f"{quoted(wanted)} left out" if written == LEFT_OUT else f"{quoted(wanted)} written as {quoted(written)}"
