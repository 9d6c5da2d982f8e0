"""The window's look: fonts, zoom, light or dark, switched live."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from gui.colours import DARK, LIGHT, Colours, Mode, palette
from gui.stylesheet import stylesheet

GRID = 8  # pixels; the distances between widgets are multiples of it, or of its half
ZOOMS = (80, 90, 100, 110, 125, 150, 175, 200)  # percent

# Tried after the system's own family, for IPA, umlauts and CJK, if installed.
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


class Theme(QObject):
    """Holds the current mode and zoom, and applies them to the application; emits `changed` after every change."""

    changed = Signal()

    def __init__(self, mode: Mode | None = None, zoom: int = 100) -> None:
        super().__init__()
        self.chosen_mode = mode  # None while the desktop decides
        self.mode: Mode = mode or system_mode()
        self.zoom = zoom
        self.is_exporting = False  # whether painting is for an exported file
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

    def hatching(self) -> QBrush:
        """The brush over masked cells of a matrix."""
        return QBrush(self.colour("line"), Qt.BrushStyle.BDiagPattern)

    def font(self, scale: float = 1.0, *, bold: bool = False) -> QFont:
        """The system's font with tabular figures, at `scale` times its zoomed size."""
        font = QFont(self._system_font)
        font.setPointSizeF(self.points(scale))
        font.setFeature(QFont.Tag("tnum"), 1)
        if bold:
            font.setWeight(QFont.Weight.DemiBold)
        return font

    def token_font(self, scale: float = 1.0) -> QFont:
        """The font of tokens, with fallback families for IPA, umlauts and CJK."""
        font = self.font(scale)
        font.setFamilies([self._system_font.family(), *TOKEN_FALLBACKS])
        return font

    def points(self, scale: float = 1.0) -> float:
        """The zoomed font size in points, times `scale`."""
        return self._points * scale * self.zoom / 100

    def px(self, pixels: float) -> int:
        """A length at 100 % in pixels at the current zoom, at least 1."""
        return max(1, round(pixels * self.zoom / 100))

    @contextmanager
    def without_stylesheet(self) -> Iterator[None]:
        """Within the block the application has no stylesheet, so that a window is built in less than half the time.

        With one, Qt restyles each widget every time one of its ancestors gets a parent.
        """
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        sheet = app.styleSheet()
        app.setStyleSheet("")
        try:
            yield
        finally:
            app.setStyleSheet(sheet)

    def apply(self) -> None:
        """Set the application's font, palette and stylesheet. (`setColorScheme` does nothing on bare X11.)"""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.setStyleSheet("")  # replacing a sheet restyles a widget once per ancestor, setting a new one only once
        app.setFont(self.font())
        app.setPalette(palette(self.colours))
        app.setStyleSheet(stylesheet(self.colours, self.px))
        self.changed.emit()

    def set_mode(self, mode: Mode) -> None:
        self.mode = self.chosen_mode = mode
        self.apply()

    @contextmanager
    def exporting(self) -> Iterator[None]:
        """Within the block the look is light, for a picture taken at once: nothing of it reaches the screen.

        The caller draws the panel inside the block, and again after it. Transient marks, such as the frame around the
        cell under the pointer, are not painted while `is_exporting`.
        """
        shown, self.is_exporting = self.mode, True
        self._switch_mode("light")
        try:
            yield
        finally:
            self.is_exporting = False
            self._switch_mode(shown)

    def _switch_mode(self, mode: Mode) -> None:
        if mode != self.mode:
            self.mode = mode
            self.apply()

    def toggle_mode(self) -> None:
        self.set_mode("dark" if self.mode == "light" else "light")

    def set_zoom(self, zoom: int) -> None:
        """Set the zoom in percent, clamped to the range of `ZOOMS`."""
        self.zoom = min(max(zoom, ZOOMS[0]), ZOOMS[-1])
        self.apply()

    def zoom_in(self) -> None:
        self.set_zoom(next((zoom for zoom in ZOOMS if zoom > self.zoom), ZOOMS[-1]))

    def zoom_out(self) -> None:
        self.set_zoom(next((zoom for zoom in reversed(ZOOMS) if zoom < self.zoom), ZOOMS[0]))


def system_mode() -> Mode:
    """What the desktop prefers: dark if its windows are darker than their text."""
    colours = QGuiApplication.palette()
    window = colours.color(QPalette.ColorRole.Window).lightness()
    return "dark" if window < colours.color(QPalette.ColorRole.WindowText).lightness() else "light"
