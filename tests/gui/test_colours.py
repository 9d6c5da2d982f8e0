"""Text on a coloured ground."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor

from gui.colours import DARK, LIGHT, Mode, readable_on
from gui.pictures.colour_map import attention_table, signed_table


def contrast(one: QColor, other: QColor) -> float:
    """WCAG 2.2's ratio, 1 to 21."""
    rgb = np.array([[colour.red(), colour.green(), colour.blue()] for colour in (one, other)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    low, high = sorted((linear @ (0.2126, 0.7152, 0.0722)).tolist())
    return float((high + 0.05) / (low + 0.05))


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_has_the_ink_of_more_contrast_on_each_colour_of_a_picture(mode: Mode) -> None:
    dark, light = QColor(LIGHT.text), QColor(DARK.text)
    for pixel in (*attention_table(mode).tolist(), *signed_table(mode).tolist()):
        ground = QColor.fromRgb(pixel)
        better = dark if contrast(dark, ground) >= contrast(light, ground) else light
        assert readable_on(ground) == better, ground.name()


def test_a_middle_blue_has_dark_text() -> None:
    assert readable_on(QColor("#2e8dc8")) == QColor(LIGHT.text)
