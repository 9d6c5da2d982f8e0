"""What the stylesheet dresses that Qt would draw in a look of its own."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QTableWidget
from pytestqt.qtbot import QtBot

from gui.colours import Mode
from gui.theme import Theme


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_where_two_scroll_bars_meet_nothing_is_drawn(qtbot: QtBot, mode: Mode) -> None:
    theme = Theme(mode)
    theme.apply()
    table = QTableWidget(30, 30)
    qtbot.addWidget(table)
    table.resize(300, 200)
    table.show()
    picture = table.grab().toImage()
    down, across = table.verticalScrollBar(), table.horizontalScrollBar()
    corner = QPoint(down.mapTo(table, QPoint(0, 0)).x(), across.mapTo(table, QPoint(0, 0)).y())
    places = [corner + QPoint(x, y) for x in range(down.width()) for y in range(across.height())]
    assert len(places) >= 100
    assert {picture.pixelColor(place).name() for place in places} == {theme.colours.surface}
