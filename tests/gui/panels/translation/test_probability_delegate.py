"""The bar behind a token."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QStyleOptionViewItem, QTableWidget, QTableWidgetItem
from pytestqt.qtbot import QtBot

from gui.panels.translation.probability_delegate import PROBABILITY, ProbabilityDelegate
from gui.theme import Theme


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
