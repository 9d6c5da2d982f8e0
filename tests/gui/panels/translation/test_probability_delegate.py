"""The probability bar behind a token."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QStyleOptionViewItem, QTableWidget, QTableWidgetItem
from pytestqt.qtbot import QtBot

from gui.panels.translation.probability_delegate import PROBABILITY, ProbabilityDelegate
from gui.theme import Theme


def test_a_token_is_not_cut_in_a_cell_of_the_hinted_width(qtbot: QtBot) -> None:
    table = QTableWidget(1, 2)
    qtbot.addWidget(table)
    delegate = ProbabilityDelegate(Theme("light"))
    for token in ("<eos>", "brother", "am", "Abend", "evening"):  # the widths of some are rounded down
        table.setItem(0, 0, cell(0.0, token))
        index, option = table.model().index(0, 0), QStyleOptionViewItem()
        needed = delegate.sizeHint(option, index)
        hinted, wide = (painted(delegate, table, 0, times * needed.width()) for times in (1, 2))
        written = QRect(0, 0, 8 + QFontMetrics(Theme("light").token_font()).horizontalAdvance(token), 30)
        assert hinted.copy(written) == wide.copy(written), token


def painted(delegate: ProbabilityDelegate, table: QTableWidget, column: int, width: int) -> QImage:
    """The cell of this column, drawn with this width and a height of 30 pixels."""
    table.setColumnWidth(column, width)
    option, picture = QStyleOptionViewItem(), QPixmap(width, 30)
    option.rect, option.widget = QRect(0, 0, width, 30), table
    picture.fill(QColor("white"))
    with QPainter(picture) as painter:
        delegate.paint(painter, option, table.model().index(0, column))
    return picture.toImage()


def length_of_bar(image: QImage) -> int:
    return sum(image.pixelColor(column, 2) != QColor("white") for column in range(image.width()))


@pytest.mark.parametrize("probability", [0.0, 0.25, 1.0])
def test_the_length_of_the_bar_is_the_probability(qtbot: QtBot, probability: float) -> None:
    table = QTableWidget(1, 1)
    qtbot.addWidget(table)
    table.setItem(0, 0, cell(probability))
    image = painted(ProbabilityDelegate(Theme("light")), table, 0, 402)
    assert length_of_bar(image) == pytest.approx(400 * probability, abs=1)


def test_nan_has_no_bar(qtbot: QtBot) -> None:
    table = QTableWidget(1, 1)
    qtbot.addWidget(table)
    table.setItem(0, 0, cell(math.nan))
    assert length_of_bar(painted(ProbabilityDelegate(Theme("light")), table, 0, 402)) == 0


def test_bars_have_one_scale_in_columns_of_different_widths(qtbot: QtBot) -> None:
    table, delegate = QTableWidget(1, 3), ProbabilityDelegate(Theme("light"))
    qtbot.addWidget(table)
    table.setColumnHidden(2, True)
    for column in range(3):
        table.setItem(0, column, cell(0.5))
    for widths in ((102, 202), (302, 202), (102, 82)):  # the narrower visible column counts
        for column, width in enumerate(widths):
            table.setColumnWidth(column, width)
        lengths = [length_of_bar(painted(delegate, table, column, width)) for column, width in enumerate(widths)]
        assert lengths == [(min(widths) - 2) / 2] * 2


def cell(probability: float, token: str = "") -> QTableWidgetItem:
    item = QTableWidgetItem(token)
    item.setData(PROBABILITY, probability)
    return item
