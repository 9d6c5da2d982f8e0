"""The window's look: colours, fonts and zoom, light and dark, switched live."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from gui.stylesheet import stylesheet

Mode = Literal["light", "dark"]

GRID = 8  # every distance is a multiple of it, in pixels
ZOOMS = (80, 90, 100, 110, 125, 150, 175, 200)  # percent

# After the system's own family: IPA, umlauts and CJK wherever one of these is installed.
TOKEN_FALLBACKS = (
    "Noto Sans",
    "DejaVu Sans",
    "Segoe UI",
    "Noto Sans CJK SC",
    "PingFang SC",
    "Microsoft YaHei",
    "Noto Sans Arabic",
    "Noto Color Emoji",
)


@dataclass(frozen=True, kw_only=True)
class Colours:
    """Every colour there is, by what it says; `#rrggbb`."""

    window: str
    surface: str  # panels, fields
    hover: str
    line: str
    text: str
    muted: str  # text that stands back
    faint: str  # disabled text
    training: str
    validation: str
    good: str
    bad: str
    bad_surface: str
    on_training: str  # text on the filled button


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
    good="#009e73",
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
    good="#2bc49a",
    bad="#ff8a7a",
    bad_surface="#3a2321",
    on_training="#0a1a26",
)


class Theme(QObject):
    """Holds the colours of the moment and dresses the application; `changed` follows every change."""

    changed = Signal()

    def __init__(self, mode: Mode | None = None, zoom: int = 100) -> None:
        super().__init__()
        self.chosen_mode = mode  # None while it is the desktop's
        self.mode: Mode = mode or system_mode()
        self.zoom = zoom
        self.is_on_paper = False  # whether what is painted is a picture for a file
        self._system_font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
        self._points = max(self._system_font.pointSizeF(), 9.0)

    @property
    def colours(self) -> Colours:
        return LIGHT if self.mode == "light" else DARK

    def colour(self, name: str, alpha: float = 1.0) -> QColor:
        """A colour by its name in `Colours`, `alpha` from 0 (clear) to 1."""
        colour = QColor(getattr(self.colours, name))
        colour.setAlphaF(alpha)
        return colour

    def font(self, scale: float = 1.0, *, bold: bool = False) -> QFont:
        """The system's font with figures of equal width, `scale` times its zoomed size."""
        font = QFont(self._system_font)
        font.setPointSizeF(self.points(scale))
        font.setFeature(QFont.Tag("tnum"), 1)
        if bold:
            font.setWeight(QFont.Weight.DemiBold)
        return font

    def token_font(self, scale: float = 1.0) -> QFont:
        """The font of tokens, with families for IPA, umlauts and CJK behind it."""
        font = self.font(scale)
        font.setFamilies([self._system_font.family(), *TOKEN_FALLBACKS])
        return font

    def points(self, scale: float = 1.0) -> float:
        """A font size in points."""
        return self._points * scale * self.zoom / 100

    def px(self, pixels: float) -> int:
        """A length that grows with the zoom."""
        return max(1, round(pixels * self.zoom / 100))

    @contextmanager
    def undressed(self) -> Iterator[None]:
        """While a window is put together: with a sheet each widget is dressed again at every parent that one of its own
        parents is given, more than half of the time that takes."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        sheet = app.styleSheet()
        app.setStyleSheet("")
        try:
            yield
        finally:
            app.setStyleSheet(sheet)

    def apply(self) -> None:
        """Dress the application: font, palette and stylesheet. (`setColorScheme` does nothing on bare X11.)"""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.setStyleSheet("")  # a changed sheet goes through every widget once for each of its parents, a new one once
        app.setFont(self.font())
        app.setPalette(palette(self.colours))
        app.setStyleSheet(stylesheet(self.colours, self.px))
        self.changed.emit()

    def set_mode(self, mode: Mode) -> None:
        self.mode = self.chosen_mode = mode
        self.apply()

    @contextmanager
    def on_paper(self) -> Iterator[None]:
        """The light look meanwhile, for a picture that is taken at once: nothing of it comes onto the screen.

        Who enters draws what is to be in the picture, and draws it again afterwards. What is of the moment, as a frame
        around what is pointed at, is not painted where `is_on_paper`.
        """
        shown, self.is_on_paper = self.mode, True
        self._take_mode("light")
        try:
            yield
        finally:
            self.is_on_paper = False
            self._take_mode(shown)

    def _take_mode(self, mode: Mode) -> None:
        if mode != self.mode:
            self.mode = mode
            self.apply()

    def toggle_mode(self) -> None:
        self.set_mode("dark" if self.mode == "light" else "light")

    def set_zoom(self, zoom: int) -> None:
        """Zoom to a percentage of `ZOOMS`."""
        self.zoom = min(max(zoom, ZOOMS[0]), ZOOMS[-1])
        self.apply()

    def zoom_in(self) -> None:
        self.set_zoom(next((zoom for zoom in ZOOMS if zoom > self.zoom), ZOOMS[-1]))

    def zoom_out(self) -> None:
        self.set_zoom(next((zoom for zoom in reversed(ZOOMS) if zoom < self.zoom), ZOOMS[0]))


def linear_rgb(colour: QColor) -> tuple[float, float, float]:
    """Red, green and blue in proportion to their light, 0 to 1."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    )
    return red, green, blue


def _lightness(colour: QColor) -> float:
    """WCAG's relative luminance and what it adds to it: the contrast of two colours is the quotient of theirs."""
    red, green, blue = linear_rgb(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05


_LIGHT_GROUND = sqrt(_lightness(QColor(LIGHT.text)) * _lightness(QColor(DARK.text)))  # the same contrast to both


def readable_on(ground: QColor) -> QColor:
    """The dark text or the light one, whichever has more contrast there."""
    return QColor(LIGHT.text if _lightness(ground) >= _LIGHT_GROUND else DARK.text)


def system_mode() -> Mode:
    """What the desktop prefers: dark where its own window is darker than its text."""
    colours = QGuiApplication.palette()
    window = colours.color(QPalette.ColorRole.Window).lightness()
    return "dark" if window < colours.color(QPalette.ColorRole.WindowText).lightness() else "light"


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
        role.PlaceholderText: colours.faint,
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
