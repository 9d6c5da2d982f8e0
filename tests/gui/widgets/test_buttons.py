"""Buttons with an icon alone."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtGui import QIcon
from pytestqt.qtbot import QtBot

from gui.colours import Mode
from gui.theme import Theme
from gui.widgets.buttons import IconButton


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_disabled_icon_has_the_colour_of_disabled_text(qtbot: QtBot, mode: Mode) -> None:
    theme = Theme(mode)
    button = IconButton(theme, "rewind", "Rewind")
    qtbot.addWidget(button)
    for state, colour in ((QIcon.Mode.Normal, theme.colours.text), (QIcon.Mode.Disabled, theme.colours.faint)):
        image = button.icon().pixmap(64, state).toImage()
        pixels = [image.pixelColor(x, y) for x in range(64) for y in range(64)]
        [(commonest, _)] = Counter(one.name() for one in pixels if one.alpha() == 255).most_common(1)
        assert commonest == colour
