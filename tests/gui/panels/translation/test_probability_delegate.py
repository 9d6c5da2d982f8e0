"""The bar behind a token."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, QRect
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QStyleOptionViewItem, QTableWidget, QTableWidgetItem
from pytestqt.qtbot import QtBot

from gui.panels.translation.probability_delegate import PROBABILITY, ProbabilityDelegate
from gui.theme import Theme


def test_a_token_is_whole_in_a_cell_as_wide_as_asked_for(qtbot: QtBot) -> None:
    table = QTableWidget(1, 2)
    qtbot.addWidget(table)
    delegate = ProbabilityDelegate(Theme("light"))
    for token in ("<eos>", "brother", "am", "Abend", "evening"):  # the widths of some are rounded down
        table.setItem(0, 0, QTableWidgetItem(token))
        table.item(0, 0).setData(PROBABILITY, 0.0)
        index, option = table.model().index(0, 0), QStyleOptionViewItem()
        needed = delegate.sizeHint(option, index)
        assert left_half(delegate, index, needed.width()) == left_half(delegate, index, 2 * needed.width()), token


def left_half(delegate: ProbabilityDelegate, index: QModelIndex, width: int) -> QImage:
    """Where the token is written, in a cell of this width."""
    option, picture = QStyleOptionViewItem(), QPixmap(width, 30)
    option.rect = QRect(0, 0, width, 30)
    picture.fill(QColor("white"))
    with QPainter(picture) as painter:
        delegate.paint(painter, option, index)
    token = QFontMetrics(Theme("light").token_font()).horizontalAdvance(index.data())
    return picture.toImage().copy(0, 0, 8 + token, 30)


@pytest.mark.parametrize("probability", [0.0, 0.25, 1.0])
def test_the_bar_is_as_long_as_the_probability(qtbot: QtBot, probability: float) -> None:
    table = QTableWidget(1, 1)
    qtbot.addWidget(table)
    item = QTableWidgetItem("")
    item.setData(PROBABILITY, probability)
    table.setItem(0, 0, item)
    delegate, option, picture = ProbabilityDelegate(Theme("light")), QStyleOptionViewItem(), QPixmap(402, 30)
    option.rect = QRect(0, 0, 402, 30)
    picture.fill(QColor("white"))
    painter = QPainter(picture)
    delegate.paint(painter, option, table.model().index(0, 0))
    painter.end()
    image = picture.toImage()
    coloured = sum(image.pixelColor(column, 2) != QColor("white") for column in range(402))
    assert coloured == pytest.approx(400 * probability, abs=1)
