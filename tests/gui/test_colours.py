"""The contrast of text on coloured backgrounds, and the colours of curves."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor, QPalette

from gui.colours import DARK, LIGHT, Colours, Mode, palette, readable_on
from gui.pictures.colour_map import attention_table, signed_table

LEGIBLE = 4.5  # level AA of WCAG 2.2


def contrast(one: QColor, other: QColor) -> float:
    """The contrast ratio of WCAG 2.2, 1 to 21."""
    rgb = np.array([[colour.red(), colour.green(), colour.blue()] for colour in (one, other)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    low, high = sorted((linear @ (0.2126, 0.7152, 0.0722)).tolist())
    return float((high + 0.05) / (low + 0.05))


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_is_legible_on_every_colour_of_a_picture(mode: Mode) -> None:
    for pixel in (*attention_table(mode).tolist(), *signed_table(mode).tolist()):
        background = QColor.fromRgb(pixel)
        assert contrast(readable_on(background), background) >= LEGIBLE, background.name()


def test_curves_have_colours_that_the_colour_blind_tell_apart() -> None:
    """They are those of Okabe and Ito (2008), lighter in the dark."""
    expected = [("#0072b2", "#d55e00", "#009e73"), ("#56b4e9", "#e69f00", "#2bc49a")]
    assert [(one.training, one.validation, one.good) for one in (LIGHT, DARK)] == expected


def test_a_medium_blue_has_dark_text() -> None:
    assert readable_on(QColor("#2e8dc8")) == QColor("black")


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_texts_are_legible_on_panels_and_on_the_window(colours: Colours) -> None:
    hint = palette(colours).color(QPalette.ColorRole.PlaceholderText)
    names = ("text", "muted", "training", "validation_text", "good_text", "bad")
    for ink in (*(QColor(getattr(colours, name)) for name in names), hint):
        for background in (colours.surface, colours.window):
            assert contrast(ink, QColor(background)) >= LEGIBLE, (ink.name(), background)
