"""A matrix on the screen: colours, numbers, hatching, and pointing at cells by mouse or keyboard."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.panels.anatomy.matrix_canvas import Matrix, MatrixCanvas
from gui.panels.attention.map_layout import MapLayout
from gui.pictures.colour_map import attention_table, signed_table
from gui.pictures.picture_file import encoders_of
from gui.theme import Theme
from tests.gui.not_none import not_none

Show = Callable[[QWidget, int, int], None]
VALUES = np.array([[1.0, 0.0, -1.0], [0.5, -0.5, 0.0]])
ROWS, COLUMNS = ("a", "b"), ("x", "y", "z")


@pytest.fixture
def canvas(theme: Theme, stage: Show) -> MatrixCanvas:
    made = MatrixCanvas(theme)
    stage(made, 400, 300)
    return made


def layout_of(canvas: MatrixCanvas) -> MapLayout:
    """The layout of the shown matrix."""
    return canvas.layout_of(not_none(canvas.matrix))


def colour_at(canvas: MatrixCanvas, row: int, column: int) -> QColor:
    """The colour of a cell, away from its number."""
    corner = layout_of(canvas).cell(row, column).topLeft().toPoint()
    return QColor(canvas.grab().toImage().pixel(corner.x() + 4, corner.y() + 4))


def test_signed_numbers_are_coloured_around_zero(canvas: MatrixCanvas) -> None:
    canvas.show_matrix(Matrix("m", VALUES, ROWS, COLUMNS, limit=1.0))
    table = signed_table("light")
    assert colour_at(canvas, 0, 0) == QColor.fromRgba(int(table[255]))
    assert colour_at(canvas, 0, 2) == QColor.fromRgba(int(table[0]))
    assert colour_at(canvas, 0, 1) == QColor.fromRgba(int(table[128]))


def test_weights_have_the_colour_scale_of_attention(canvas: MatrixCanvas) -> None:
    canvas.show_matrix(Matrix("m", np.abs(VALUES), ROWS, COLUMNS))
    assert colour_at(canvas, 0, 0) == QColor.fromRgba(int(attention_table("light")[255]))


def test_hidden_cells_are_hatched(canvas: MatrixCanvas) -> None:
    canvas.show_matrix(Matrix("m", np.ones((1, 2)), ("a",), ("x", "y"), decimals=None))
    image = canvas.grab().toImage()
    canvas.show_matrix(Matrix("m", np.ones((1, 2)), ("a",), ("x", "y"), hidden=np.array([[False, True]])))
    cell = layout_of(canvas).cell(0, 1).toAlignedRect()
    assert canvas.grab(cell).toImage() != image.copy(cell)


def test_only_the_hidden_cells_of_a_row_are_hatched(canvas: MatrixCanvas) -> None:
    hidden = np.array([[True, False, True, True, False], [False] * 5, [True] * 5])
    rows, columns = ("a", "b", "c"), tuple("vwxyz")
    canvas.show_matrix(Matrix("m", np.ones(hidden.shape), rows, columns, decimals=None))
    layout, before = layout_of(canvas), canvas.grab().toImage()
    canvas.show_matrix(Matrix("m", np.ones(hidden.shape), rows, columns, hidden=hidden, decimals=None))
    after = canvas.grab().toImage()
    for (row, column), is_hidden in np.ndenumerate(hidden):
        cell = layout.cell(row, column).toAlignedRect().adjusted(2, 2, -2, -2)
        assert (after.copy(cell) != before.copy(cell)) == is_hidden, (row, column)


def test_numbers_that_round_to_zero_have_no_minus_sign(canvas: MatrixCanvas) -> None:
    canvas.show_matrix(Matrix("m", np.array([[-0.004, -0.006]]), ("a",), ("x", "y"), limit=1.0))
    written = encoders_of([canvas], "")[".svg"]().decode()
    assert ">0.00<" in written and ">-0.01<" in written and "-0.00" not in written


def test_keys_and_mouse_point_at_cells(canvas: MatrixCanvas, qtbot: QtBot) -> None:
    cells: list[tuple[int, int]] = []
    canvas.pointed.connect(lambda row, column: cells.append((row, column)))
    canvas.show_matrix(Matrix("m", VALUES, ROWS, COLUMNS, limit=1.0), (0, 2))
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    qtbot.keyClick(canvas, Qt.Key.Key_Up)
    qtbot.mouseMove(canvas, layout_of(canvas).cell(1, 1).center().toPoint())
    assert cells == [(0, 0), (1, 2), (1, 1)]


def test_row_names_in_low_rows_are_smaller_and_do_not_overlap(canvas: MatrixCanvas) -> None:
    words = tuple(f"word{index}" for index in range(30))
    low = canvas.layout_of(Matrix("m", np.zeros((30, 16)), words, ("",) * 16))
    high = canvas.layout_of(Matrix("m", VALUES, ROWS, ("",) * 3))
    assert low.font.pointSizeF() < high.font.pointSizeF()
    for one in (low, high):
        assert one.cell(0, 0).height() >= 0.8 * QFontMetricsF(one.font).height()
    assert high.grid.top() < 2 * QFontMetricsF(high.font).height(), "the grid begins right under the title"


def test_aligned_matrices_of_different_sizes_begin_at_the_same_x(canvas: MatrixCanvas) -> None:
    names = (*ROWS, "a longer name")
    lefts = []
    for matrix in (
        Matrix("m", VALUES, ROWS, COLUMNS),
        Matrix("m", np.zeros((24, 3)), ("a longer name",) * 24, COLUMNS),
    ):
        canvas.show_matrix(matrix, aligned_labels=names)
        lefts.append(canvas.layout_of(matrix).grid.left())
    assert lefts[0] == lefts[1]


def test_the_marked_row_has_a_frame(canvas: MatrixCanvas) -> None:
    canvas.show_matrix(Matrix("m", VALUES, ROWS, COLUMNS, limit=1.0))
    plain = canvas.grab().toImage()
    canvas.show_matrix(not_none(canvas.matrix), (1, None))
    framed = canvas.grab().toImage()
    layout = layout_of(canvas)
    first, last = layout.cell(1, 0).toAlignedRect(), layout.cell(1, 2).toAlignedRect()
    for corner in (first.bottomLeft(), last.topRight()):
        assert framed.copy(corner.x() - 3, corner.y() - 3, 6, 6) != plain.copy(corner.x() - 3, corner.y() - 3, 6, 6)
    top = layout.cell(0, 0).toAlignedRect().adjusted(0, 0, 0, -4)
    assert framed.copy(top) == plain.copy(top)
