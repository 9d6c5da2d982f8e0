"""The application's icon: drawn by Qt's SVG plugin, for whatever size the system asks."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gui.icons import application_icon


@pytest.mark.parametrize("size", [16, 256])
def test_the_applications_icon_is_drawn_at_any_size(qtbot: QtBot, size: int) -> None:
    image = application_icon().pixmap(size).toImage()
    assert image.width() == size
    assert image.pixelColor(size // 2, size // 16).name() == "#0072b2"
    assert image.pixelColor(size * 3 // 4, size // 2).name() == "#ffffff"
    assert image.pixelColor(0, 0).alpha() == 0
