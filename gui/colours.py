"""Every colour of the window, light and dark, and which text colour is readable on it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

from PySide6.QtGui import QColor, QPalette

Mode = Literal["light", "dark"]


@dataclass(frozen=True, kw_only=True)
class Colours:
    """The colours, named by their meaning, as `#rrggbb`."""

    window: str
    surface: str  # panels, fields
    hover: str
    line: str
    text: str
    muted: str  # secondary text
    faint: str  # disabled text
    training: str
    validation: str
    validation_text: str  # the same for text: darker on a light ground
    good: str
    good_text: str
    bad: str
    bad_surface: str
    on_training: str  # text on a button filled with `training`


LIGHT = Colours(
    window="#f4f5f7",
    surface="#ffffff",
    hover="#e7eaee",
    line="#d6dbe1",
    text="#1b1f24",
    muted="#56606c",
    faint="#949da8",
    training="#0072b2",
    validation="#d55e00",
    validation_text="#b04a00",
    good="#009e73",
    good_text="#007d5a",
    bad="#b3261e",
    bad_surface="#fdf0ee",
    on_training="#ffffff",
)
DARK = Colours(
    window="#15181c",
    surface="#1d2126",
    hover="#2a3037",
    line="#353c45",
    text="#e6e9ed",
    muted="#a0aab5",
    faint="#68727e",
    training="#56b4e9",
    validation="#e69f00",
    validation_text="#e69f00",
    good="#2bc49a",
    good_text="#2bc49a",
    bad="#ff8a7a",
    bad_surface="#3a2321",
    on_training="#0a1a26",
)


def palette(colours: Colours) -> QPalette:
    """The Qt palette of these colours."""
    role = QPalette.ColorRole
    made = QPalette()
    for name, colour in {
        role.Window: colours.window,
        role.WindowText: colours.text,
        role.Base: colours.surface,
        role.AlternateBase: colours.window,
        role.Text: colours.text,
        role.Button: colours.surface,
        role.ButtonText: colours.text,
        role.ToolTipBase: colours.surface,
        role.ToolTipText: colours.text,
        role.PlaceholderText: colours.muted,
        role.Highlight: colours.training,
        role.HighlightedText: colours.on_training,
        role.Link: colours.training,
        role.Mid: colours.line,
        role.Accent: colours.training,
    }.items():
        made.setColor(name, QColor(colour))
    for name in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, name, QColor(colours.faint))
    return made


def linear_rgb(colour: QColor) -> tuple[float, float, float]:
    """Linear red, green and blue (sRGB without its gamma curve), each 0 to 1."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    )
    return red, green, blue


def _lightness(colour: QColor) -> float:
    """WCAG's relative luminance plus 0.05: the contrast ratio of two colours is the quotient of these values."""
    red, green, blue = linear_rgb(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05


_BLACK, _WHITE = QColor("black"), QColor("white")  # any other pair leaves mid-tones on which neither is readable
_LIGHT_GROUND = sqrt(_lightness(_BLACK) * _lightness(_WHITE))  # equal contrast with both


def readable_on(ground: QColor) -> QColor:
    """Black or white, whichever contrasts more with this ground: 4.5 at least."""
    return _BLACK if _lightness(ground) >= _LIGHT_GROUND else _WHITE
