"""Shows which picture has the keyboard focus: its panel's frame takes the colour of a focused field."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from gui.panel import Panel
from gui.widgets.scroll_areas import FramelessScrollArea

_SHOW_OWN_FOCUS = (
    *(QAbstractButton, QAbstractItemView, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit),
    Panel,
)


class FocusFrame(QObject):
    """Frames at most one panel of a window, through the property `focused`, which the stylesheet reads."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._framed: Panel | None = None
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow)

    def _follow(self, _: QWidget | None, focused: QWidget | None) -> None:
        if focused is not None and focused.window() is not self._window:
            return  # a menu has the focus, and gives it back
        panel = None if focused is None or isinstance(focused, _SHOW_OWN_FOCUS) else _panel_of(focused)
        if panel is not self._framed:
            self._frame(False)
            self._framed = panel
            self._frame(True)

    def _frame(self, is_framed: bool) -> None:
        if self._framed is not None:
            self._framed.setProperty("focused", is_framed)
            self._framed.style().polish(self._framed)


def _panel_of(widget: QWidget) -> Panel | None:
    around: QWidget | None = widget.widget() if isinstance(widget, FramelessScrollArea) else widget
    while around is not None and not isinstance(around, Panel):
        around = around.parentWidget()
    return around
