"""Colours for attention weights."""

import numpy as np
import pytest
from PySide6.QtGui import QColor

from gui.colour_map import attention_table, image_of
from gui.theme import DARK, LIGHT


@pytest.mark.parametrize(("mode", "background"), [("light", LIGHT.surface), ("dark", DARK.surface)])
def test_zero_is_the_background_and_every_weight_stands_out_more(mode: str, background: str) -> None:
    table = attention_table(mode)
    assert QColor(int(table[0])).name() == background
    lightness = np.array([QColor(int(colour)).lightnessF() for colour in table])
    steps = np.diff(lightness) if mode == "dark" else -np.diff(lightness)
    assert (steps > -0.01).all()
    assert abs(lightness[-1] - lightness[0]) > 0.7


def test_colours_do_not_depend_on_the_other_weights() -> None:
    table = attention_table("light")
    alone, beside = image_of(np.array([[0.25]]), table), image_of(np.array([[0.25, 1.0]]), table)
    assert alone.pixel(0, 0) == beside.pixel(0, 0)


def test_the_square_root_spreads_small_weights() -> None:
    table = attention_table("light")
    assert image_of(np.array([[0.25]]), table, square_root=True).pixel(0, 0) == int(table[128])
    assert image_of(np.array([[1.0, 0.0]]), table, square_root=True).pixel(1, 0) == int(table[0])
