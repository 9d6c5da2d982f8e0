"""Cells and labels fit into their area, and cell_at finds the cell that is drawn at a point."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF
from pytestqt.qtbot import QtBot

from gui.heads.head_picture import HeadPicture
from gui.panels.attention.map_layout import MapLayout, fitting_layout
from gui.theme import Theme


def layout(width: float, height: float, rows: tuple[str, ...], columns: tuple[str, ...]) -> MapLayout:
    """The layout of an empty head in an area of this size."""
    picture = HeadPicture(np.zeros((len(rows), len(columns)), np.float16), rows, columns, False)
    return MapLayout(QRectF(0, 0, width, height), picture, Theme("light").token_font())


@pytest.mark.parametrize(("width", "height"), [(240, 160), (640, 360), (1500, 900)])
@pytest.mark.parametrize(("num_rows", "num_columns"), [(1, 1), (12, 12), (3, 40), (60, 5)])
def test_the_grid_lies_within_the_area_with_room_for_labels(
    qtbot: QtBot, width: float, height: float, num_rows: int, num_columns: int
) -> None:
    made = layout(width, height, ("after → then",) * num_rows, ("Donaudampfschiff",) * num_columns)
    assert QRectF(0, 0, width, height).contains(made.grid)
    assert (made.grid.left() > 0, made.grid.top() > 0) == (made.names_rows, made.names_columns)  # where the labels go


def test_cell_at_finds_the_cell_drawn_at_a_point(qtbot: QtBot) -> None:
    made = layout(640, 360, ("a", "b", "c"), ("d", "e"))
    for row, column in np.ndindex(3, 2):
        assert made.cell_at(made.cell(row, column).center()) == (row, column)
    assert made.cell_at(made.grid.topLeft() - QPointF(1, 0)) is None
    assert made.cell_at(made.grid.bottomRight() + QPointF(0, 1)) is None


def test_column_labels_are_rotated_only_if_they_would_overlap(qtbot: QtBot) -> None:
    assert not layout(900, 600, ("a",) * 8, ("short",) * 8).rotated
    assert layout(640, 360, ("a",) * 8, ("Lebensversicherung",) * 8).rotated


@pytest.mark.parametrize(("width", "height"), [(1350, 190), (900, 600), (640, 360), (300, 160)])
def test_horizontal_column_labels_fit_their_columns(qtbot: QtBot, width: float, height: float) -> None:
    words = ("am", "Abend", "kann", "ich", "meinen", "netten", "Bruder", "nicht", "sehen", "<eos>")
    made = layout(width, height, ("brother → <eos>",) * 10, words)
    widest = max(QFontMetricsF(made.font).horizontalAdvance(word) for word in words)
    assert made.rotated == (width < 900) and (made.rotated or made.cell(0, 0).width() > widest)


def test_columns_without_labels_reserve_no_space(qtbot: QtBot) -> None:
    assert layout(640, 360, ("a",) * 8, ("",) * 8).grid.top() == 0
    assert layout(640, 360, ("a",) * 8, ("", "b")).grid.top() > 0


def test_labels_that_do_not_fit_reserve_no_space(qtbot: QtBot) -> None:
    made = layout(640, 360, ("after → then",) * 60, ("Donaudampfschiff",) * 60)
    assert not made.names_rows and not made.names_columns
    assert made.grid.topLeft() == QPointF(0, 0) and made.cell(0, 0).height() == 6
    below = MapLayout(QRectF(0, 0, 640, 360), made, made.font, row_label_width=100)
    assert below.grid.left() > 100  # so that it lines up with the matrix above


def test_a_smaller_font_is_used_only_if_column_labels_then_fit(qtbot: QtBot) -> None:
    fonts = [Theme("light").token_font(scale) for scale in (1.0, 0.8)]
    picture = HeadPicture(np.zeros((10, 12), np.float16), ("evening",) * 10, ("evening",) * 12, False)
    for width, place in ((400, 0), (200, 1), (120, 0)):
        made = fitting_layout(QRectF(0, 0, width, 300), picture, fonts)
        assert made.font == fonts[place] and made.names_columns == (width > 120), width


def test_labels_of_twelve_tokens_fit_in_the_smallest_window(qtbot: QtBot) -> None:
    words = tuple(f"word{index}" for index in range(12))
    made = layout(620, 250, words, words)
    assert made.names_rows


def test_labels_of_low_rows_are_smaller_and_do_not_overlap(qtbot: QtBot) -> None:
    theme, words = Theme("light"), tuple(f"word{place}" for place in range(12))
    picture = HeadPicture(np.zeros((12, 12), np.float16), words, words, False)
    fonts = [theme.token_font(scale) for scale in (1.0, 0.85, 0.7)]
    for height, place in ((300, 0), (175, 1), (160, 2)):
        made = fitting_layout(QRectF(0, 0, 400, height), picture, fonts)
        assert made.font == fonts[place] and made.names_rows, height
        assert made.cell(0, 0).height() >= QFontMetricsF(made.font).tightBoundingRect("dgy").height(), height
    assert not fitting_layout(QRectF(0, 0, 400, 90), picture, fonts).names_rows
