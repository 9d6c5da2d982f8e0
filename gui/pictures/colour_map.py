"""Colour maps for weights and signed numbers: zero is the background, and equal steps look equally different."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from gui.colours import DARK, LIGHT, Mode, linear_rgb

# From a panel's background to the far end of the training colour's hue.
_STOPS: dict[Mode, tuple[str, ...]] = {
    "light": (LIGHT.surface, "#9ecdec", "#2f8ec9", "#0b5c94", "#06283d"),
    "dark": (DARK.surface, "#0b4a76", "#1f83c2", "#7cc4ee", "#f2faff"),
}
# From -1 (blue) over the background to 1 (orange).
_SIGNED_STOPS: dict[Mode, tuple[str, ...]] = {
    "light": ("#0b5c94", "#6fb3dd", LIGHT.surface, "#f0a05a", "#b04a00"),
    "dark": ("#7cc4ee", "#1f6fa6", DARK.surface, "#a8641a", "#ffb454"),
}

# Björn Ottosson, "A perceptual color space for image processing" (2020): linear sRGB to LMS, cube-root LMS to OKLab.
_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


@cache
def attention_table(mode: Mode) -> NDArray[np.uint32]:
    """[256] ARGB colours for weights 0 to 1, evenly spaced by their OKLab distance."""
    return _evenly_spaced(_STOPS[mode])


@cache
def signed_table(mode: Mode) -> NDArray[np.uint32]:
    """[256] ARGB colours for numbers from -1 to 1; index 128, to which zero is rounded, is the background itself."""
    blue, orange = _evenly_spaced(_SIGNED_STOPS[mode][:3]), _evenly_spaced(_SIGNED_STOPS[mode][2:])
    up_to_zero, from_zero = (np.rint(np.linspace(0, 255, count)).astype(int) for count in (129, 128))
    return np.concatenate([blue[up_to_zero], orange[from_zero[1:]]])


def as_rgba(table: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """[N] ARGB colours as [N, 4] bytes, as pyqtgraph takes them."""
    return np.stack([(table >> shift).astype(np.uint8) for shift in (16, 8, 0, 24)], axis=1)


def image_of(weights: NDArray[np.floating], table: NDArray[np.uint32], *, square_root: bool = False) -> QImage:
    """An image with one pixel per weight. The table always spans 0 to 1, so that colours compare across steps."""
    share = np.fmin(np.fmax(weights.astype(np.float32), 0.0), 1.0)  # fmax turns NaN into 0
    indices = np.rint((np.sqrt(share) if square_root else share) * 255).astype(np.uint8)
    pixels = np.ascontiguousarray(table[indices])
    height, width = pixels.shape
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()


def signed_image(numbers: NDArray[np.floating], mode: Mode) -> QImage:
    """An image of numbers from -1 to 1. NaN looks like zero: the background, which says neither more nor less."""
    return image_of(np.nan_to_num(numbers.astype(np.float32)) / 2 + 0.5, signed_table(mode))


def attention_image(
    weights: NDArray[np.floating], mode: Mode, *, square_root: bool = False, is_difference: bool = False
) -> QImage:
    """An image of weights (0 to 1) or of their differences (-1 to 1). `square_root` makes small ones more visible."""
    if not is_difference:
        return image_of(weights, attention_table(mode), square_root=square_root)
    differences = weights.astype(np.float32)
    if square_root:
        differences = np.copysign(np.sqrt(np.abs(differences)), differences)
    return signed_image(differences, mode)


@cache
def colour_ramp(mode: Mode, *, is_difference: bool = False) -> QImage:
    """The whole colour table as a column of pixels: 1 at the top, 0 (or -1 for differences) at the bottom."""
    lowest = -1.0 if is_difference else 0.0
    return attention_image(np.linspace(1.0, lowest, 256)[:, None], mode, is_difference=is_difference)


def _evenly_spaced(stops: tuple[str, ...]) -> NDArray[np.uint32]:
    """[256] colours through these stops, at equal OKLab distances."""
    lab = np.array([_to_lab(stop) for stop in stops])
    distance = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(lab, axis=0), axis=1))])
    even = np.linspace(0.0, distance[-1], 256)
    return _to_argb(np.stack([np.interp(even, distance, lab[:, axis]) for axis in range(3)], axis=1))


def _to_lab(colour: str) -> NDArray[np.float64]:
    return _LAB @ np.cbrt(_LMS @ linear_rgb(QColor(colour)))


def _to_argb(lab: NDArray[np.float64]) -> NDArray[np.uint32]:
    linear = np.clip((lab @ np.linalg.inv(_LAB).T) ** 3 @ np.linalg.inv(_LMS).T, 0.0, 1.0)
    srgb = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    red, green, blue = (np.rint(srgb[:, channel] * 255).astype(np.uint32) for channel in range(3))
    return (np.uint32(255) << 24) | (red << 16) | (green << 8) | blue
