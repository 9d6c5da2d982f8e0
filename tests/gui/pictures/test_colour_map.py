"""The colours of attention weights are perceptually uniform."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from gui.colours import DARK, LIGHT, Mode
from gui.pictures.colour_map import attention_image, attention_table, image_of, signed_table

SURFACES = {"light": LIGHT.surface, "dark": DARK.surface}
MODES = list(SURFACES)


def oklab(table: NDArray[np.uint32]) -> NDArray[np.float64]:
    """OKLab [n, 3] (Ottosson 2020), computed by way of XYZ, unlike in the code under test."""
    srgb = np.stack([(table >> shift) & 255 for shift in (16, 8, 0)], axis=1) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    xyz = linear @ np.array(
        [[0.4124564, 0.2126729, 0.0193339], [0.3575761, 0.7151522, 0.1191920], [0.1804375, 0.0721750, 0.9503041]]
    )
    lms = xyz @ np.array(
        [[0.8189330, 0.0329845, 0.0482003], [0.3618667, 0.9293119, 0.2643663], [-0.1288597, 0.0361456, 0.6338517]]
    )
    return np.cbrt(lms) @ np.array(
        [[0.2104543, 1.9779985, 0.0259040], [0.7936178, -2.4285922, 0.7827718], [-0.0040720, 0.4505937, -0.8086758]]
    )


@pytest.mark.parametrize("mode", MODES)
def test_weight_zero_is_the_background(mode: Mode) -> None:
    assert attention_table(mode)[0] == int("ff" + SURFACES[mode][1:], 16)


@pytest.mark.parametrize("mode", MODES)
def test_lightness_is_monotonic(mode: Mode) -> None:
    steps = np.diff(oklab(attention_table(mode))[:, 0]) * (-1 if mode == "light" else 1)
    assert steps.min() > -2e-3  # rounding to 8 bits per channel
    assert steps.sum() > 0.7


@pytest.mark.parametrize("mode", MODES)
def test_equal_differences_of_weight_look_equally_large(mode: Mode) -> None:
    distances = np.linalg.norm(np.diff(oklab(attention_table(mode))[::15], axis=0), axis=1)
    assert distances.max() / distances.min() < 1.1


def test_an_image_has_one_pixel_per_weight_on_a_fixed_scale() -> None:
    table = attention_table("light")
    image = image_of(np.array([[0.0, 0.25, 1.0]], np.float16), table)
    assert (image.width(), image.height()) == (3, 1)
    assert [image.pixel(x, 0) for x in range(3)] == [table[0], table[64], table[255]]


def test_the_square_root_spreads_small_weights() -> None:
    table = attention_table("light")
    assert image_of(np.array([[0.25]]), table, square_root=True).pixel(0, 0) == table[128]


def test_nan_and_weights_outside_0_to_1_are_clamped() -> None:
    table = attention_table("dark")
    image = image_of(np.array([[np.nan, -1.0, 2.0]]), table)
    assert [image.pixel(x, 0) for x in range(3)] == [table[0], table[0], table[255]]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("square_root", [False, True])
def test_differences_diverge_from_the_background(mode: Mode, square_root: bool) -> None:
    differences = np.array([[-1.0, -0.25, 0.0, 0.25, 1.0]], np.float32)
    image = attention_image(differences, mode, square_root=square_root, is_difference=True)
    assert image.pixelColor(2, 0) == QColor(SURFACES[mode])
    table = [QColor(int(argb)) for argb in signed_table(mode)]
    reach = 0.5 if square_root else 0.25
    shares = [0.0, 0.5 - reach / 2, 0.5, 0.5 + reach / 2, 1.0]
    assert [image.pixelColor(x, 0) for x in range(5)] == [table[int(np.rint(share * 255))] for share in shares]


@pytest.mark.parametrize("mode", MODES)
def test_a_difference_of_nan_has_the_colour_of_the_background(mode: Mode) -> None:
    image = attention_image(np.array([[np.nan, 0.0]], np.float32), mode, is_difference=True)
    assert [image.pixelColor(x, 0) for x in range(2)] == [QColor(SURFACES[mode])] * 2


@pytest.mark.parametrize("mode", MODES)
def test_less_is_blue_and_more_is_orange(mode: Mode) -> None:
    table = [QColor(int(argb)) for argb in signed_table(mode)]
    assert all(less.blue() > less.green() > less.red() for less in (table[0], table[64]))
    assert all(more.red() > more.green() > more.blue() for more in (table[192], table[255]))
