"""Gives widgets that show tokens the tokens' font."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gui.theme import Theme


class TokenFont(QObject):
    """Sets the token font of these widgets at each zoom, as long as the first of them lives."""

    def __init__(self, theme: Theme, *widgets: QWidget) -> None:
        super().__init__(widgets[0])
        self._theme, self._widgets = theme, widgets
        theme.changed.connect(self._apply)
        self._apply()

    def _apply(self) -> None:
        for widget in self._widgets:
            widget.setFont(self._theme.token_font())
