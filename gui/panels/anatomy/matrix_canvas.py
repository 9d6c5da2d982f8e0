"""Paints a matrix as coloured cells with numbers and labels; the mouse and the arrow keys point at a cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.arrow_keys import ARROWS
from gui.colours import readable_on
from gui.panel import Table
from gui.panels.attention.map_layout import MapLayout, fitting_layout
from gui.pictures.colour_map import attention_table, image_of, signed_image
from gui.theme import GRID, Theme

_LABEL_SIZES = (0.95, 0.8, 0.65)


@dataclass(frozen=True, eq=False)
class Matrix:
    """Numbers [rows, columns] with a label for each row and column; a label may be empty."""

    title: str
    values: NDArray[np.floating]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    limit: float | None = None  # colours from -limit to limit around zero; None: from 0 to 1
    hidden: NDArray[np.bool_] | None = None  # [rows, columns] cells to hatch, without a number
    decimals: int | None = 2  # of the numbers in the cells, if there is room; None: no numbers

    def table(self) -> Table:
        """The numbers with their labels; hidden ones are empty."""
        shown = self.values.astype(object)
        if self.hidden is not None:
            shown[self.hidden] = ""
        return [["", *self.columns], *([name, *row] for name, row in zip(self.rows, shown.tolist(), strict=True))]

    def is_hidden(self, row: int, column: int) -> bool:
        return self.hidden is not None and bool(self.hidden[row, column])


class MatrixCanvas(QWidget):
    """Emits `pointed` with (row, column). `mark` frames a cell, or a whole row or column if the other is None."""

    pointed = Signal(int, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.matrix: Matrix | None = None
        self.mark: tuple[int | None, int | None] = (None, None)
        self._aligned_labels: tuple[str, ...] = ()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(128), self._theme.px(128))

    def show_matrix(
        self,
        matrix: Matrix,
        mark: tuple[int | None, int | None] = (None, None),
        aligned_labels: tuple[str, ...] = (),
    ) -> None:
        """Paint this. `aligned_labels` are the row labels of all matrices below one another that should line up."""
        self.matrix, self.mark, self._aligned_labels = matrix, mark, aligned_labels
        self.setAccessibleName(f"{matrix.title or 'Numbers'}; arrow keys point at a number")
        self.update()

    def layout_of(self, matrix: Matrix) -> MapLayout:
        """The layout of the cells, with labels in the largest size in which all can be written."""
        fonts = [self._theme.token_font(scale) for scale in _LABEL_SIZES]
        return fitting_layout(self._matrix_area(), matrix, fonts, self._row_label_width(fonts[0]))

    def _matrix_area(self) -> QRectF:
        """The area for the matrix and its labels, below the title."""
        title = QFontMetricsF(self._theme.font()).height() + GRID
        return QRectF(self.rect()).adjusted(0, title, -2, -2)

    def _row_label_width(self, font: QFont) -> float | None:
        """The width for `aligned_labels`, measured in the largest size; None without any."""
        metrics = QFontMetricsF(font)
        return max((metrics.horizontalAdvance(name) for name in self._aligned_labels), default=None)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.matrix is not None:
            with QPainter(self) as painter:  # ends the painter even if an exception is raised
                self._paint(painter, self.matrix)

    def _paint(self, painter: QPainter, matrix: Matrix) -> None:
        layout, image = self.layout_of(matrix), self._image(matrix)
        painter.setFont(self._theme.font())
        painter.setPen(self._theme.colour("text"))
        metrics = painter.fontMetrics()
        title = metrics.elidedText(matrix.title, Qt.TextElideMode.ElideRight, self.width())
        left = min(layout.grid.left(), max(0.0, self.width() - metrics.horizontalAdvance(matrix.title) - 2.0))
        painter.drawText(QRectF(left, 0, self.width() - left, metrics.height()), Qt.AlignmentFlag.AlignLeft, title)
        painter.drawImage(layout.grid, image)
        self._hatch(painter, layout, matrix)
        painter.setPen(QPen(self._theme.colour("line"), 1))
        painter.drawRect(layout.grid)
        layout.paint_labels(painter, self._theme.colour("text"))
        if matrix.decimals is not None:
            self._write_figures(painter, layout, matrix, image)
        self._paint_mark(painter, layout)

    def _image(self, matrix: Matrix) -> QImage:
        if matrix.limit is None:
            return image_of(matrix.values, attention_table(self._theme.mode))
        shares = matrix.values / matrix.limit if matrix.limit else np.zeros(matrix.values.shape)
        return signed_image(shares, self._theme.mode)

    def _hatch(self, painter: QPainter, layout: MapLayout, matrix: Matrix) -> None:
        if matrix.hidden is None:
            return
        painter.setBrushOrigin(layout.grid.topLeft())
        surface, hatching = self._theme.colour("surface"), self._theme.hatching()
        for row, hidden in enumerate(matrix.hidden):
            for first, last in _hidden_runs(hidden):  # not cell by cell: a hundred tokens have thousands of cells
                run = layout.cell(row, first).united(layout.cell(row, last))
                painter.fillRect(run, surface)
                painter.fillRect(run, hatching)

    def _write_figures(self, painter: QPainter, layout: MapLayout, matrix: Matrix, image: QImage) -> None:
        painter.setFont(self._theme.font(0.9))
        metrics, cell = painter.fontMetrics(), layout.cell(0, 0)
        if cell.width() < metrics.horizontalAdvance(f"{0:.{matrix.decimals}f}") + 4 or cell.height() < metrics.height():
            return  # before measuring every number
        texts = [[f"{value:z.{matrix.decimals}f}" for value in row] for row in matrix.values.tolist()]
        widest = max(metrics.horizontalAdvance(text) for row in texts for text in row)
        if cell.width() < widest + 4:
            return
        for row, column in np.ndindex(matrix.values.shape):
            if not matrix.is_hidden(row, column):
                painter.setPen(readable_on(QColor(image.pixel(column, row))))
                painter.drawText(layout.cell(row, column), Qt.AlignmentFlag.AlignCenter, texts[row][column])

    def _paint_mark(self, painter: QPainter, layout: MapLayout) -> None:
        row, column = self.mark
        if (row is None and column is None) or self._theme.is_exporting:
            return
        painter.setPen(QPen(self._theme.colour("text"), 2))
        first = layout.cell(row or 0, column or 0)
        last = layout.cell(
            len(layout.rows) - 1 if row is None else row, len(layout.columns) - 1 if column is None else column
        )
        painter.drawRect(first.united(last))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.matrix is not None:
            cell = self.layout_of(self.matrix).cell_at(event.position())
            if cell is not None and cell != self.mark:
                self.pointed.emit(*cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = ARROWS.get(Qt.Key(event.key()))
        if move is None or self.matrix is None:
            super().keyPressEvent(event)
            return
        rows, columns = self.matrix.values.shape
        self.pointed.emit(((self.mark[0] or 0) + move[0]) % rows, ((self.mark[1] or 0) + move[1]) % columns)


def _hidden_runs(hidden: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """The first and last index of each run of hidden cells in a row."""
    edges = np.flatnonzero(np.diff(hidden, prepend=False, append=False)).tolist()
    return ((first, end - 1) for first, end in zip(edges[::2], edges[1::2], strict=True))
