"""Keeps some shortcuts working while a text field has the keyboard focus."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QPlainTextEdit, QWidget

_FIELDS = (QLineEdit, QPlainTextEdit, QAbstractSpinBox)


class ShortcutPriority(QObject):
    """Keeps these keys from text fields, which use some themselves on Linux: Ctrl+E goes to the end of the line."""

    def __init__(self, window: QWidget, keys: Sequence[str]) -> None:
        super().__init__(window)
        self._window = window
        self._keys = [QKeySequence(one) for one in keys]
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._watch)  # so that only focused text fields are filtered

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hold back ShortcutOverride: by accepting it a field claims the key before the window's shortcut sees it."""
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        if QKeySequence(event.keyCombination()) not in self._keys:
            return False
        event.ignore()
        return True

    def _watch(self, _: QWidget | None, field: QWidget | None) -> None:
        if isinstance(field, _FIELDS) and field.window() is self._window:
            field.installEventFilter(self)  # installing it again does no harm
