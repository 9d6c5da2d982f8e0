"""What the stylesheet dresses that Qt would draw in a look of its own."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit, QTableWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.colours import Mode
from gui.frame.rail import RailButton
from gui.panels.runs.comparison_table import ComparisonTable
from gui.panels.runs.translations import RunTranslations
from gui.theme import Theme
from tests.gui.conftest import WAIT_MS


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


@pytest.mark.parametrize("kind", ["rail", "comparison", "translations"])
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_frame_shows_which_control_has_the_keyboard(qtbot: QtBot, mode: Mode, kind: str) -> None:
    theme = Theme(mode)
    theme.apply()
    window, other, panel = QWidget(), QLineEdit(), RunTranslations(theme)
    control = {"rail": RailButton(theme, "Train", ""), "comparison": ComparisonTable(theme)}.get(kind, panel.table)
    window.setMinimumSize(100, 100)  # or the offscreen platform warns that it knows no size hints
    window.setObjectName("rail")  # which dresses its buttons, and nothing else
    layout = QVBoxLayout(window)
    layout.addWidget(other)
    layout.addWidget(control)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    for focused, is_framed in ((other, False), (control, True)):
        focused.setFocus(Qt.FocusReason.TabFocusReason)
        qtbot.waitUntil(focused.hasFocus, timeout=WAIT_MS)
        picture = control.grab().toImage()
        edge = picture.pixelColor(picture.width() - 1, picture.height() // 2).name()
        assert (edge == theme.colours.training) == is_framed, edge
