"""Areas that scroll."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.widgets.scroll_areas import FramelessScrollArea
from tests.gui.legible import is_uncut


@pytest.mark.parametrize("is_in_view", [True, False])
def test_the_focused_field_stays_in_view_when_something_appears_below_the_area(qtbot: QtBot, is_in_view: bool) -> None:
    """One that was scrolled out of view is left there."""
    window, content, appearing = QWidget(), QWidget(), QPushButton("Restart")
    fields = QVBoxLayout(content)
    editors = [QLineEdit() for _ in range(30)]
    for editor in editors:
        fields.addWidget(editor)
    area, layout = FramelessScrollArea(content), QVBoxLayout(window)
    layout.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # the offscreen platform knows no least sizes
    layout.addWidget(area)
    layout.addWidget(appearing)
    appearing.hide()
    qtbot.addWidget(window)
    window.resize(300, 300)
    with qtbot.waitExposed(window):
        window.show()
    lowest = max(number for number, editor in enumerate(editors) if is_uncut(editor))
    focused = editors[lowest if is_in_view else lowest + 10]
    focused.setFocus()
    before = area.verticalScrollBar().value()
    appearing.show()
    qtbot.waitUntil(lambda: is_uncut(appearing))
    assert focused.hasFocus() and is_uncut(focused) == is_in_view
    assert (area.verticalScrollBar().value() > before) == is_in_view
