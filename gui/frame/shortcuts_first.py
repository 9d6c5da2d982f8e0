"""Keys that are the window's even while a text field has the keyboard."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QPlainTextEdit, QWidget

_FIELDS = (QLineEdit, QPlainTextEdit, QAbstractSpinBox)


class ShortcutsFirst(QObject):
    """On Linux a field has uses of its own for some: Ctrl+E is the end of its line, Ctrl+D deletes a letter."""

    def __init__(self, window: QWidget, keys: Sequence[str]) -> None:
        super().__init__(window)
        self._window = window
        self._keys = [QKeySequence(one) for one in keys]
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._watch)  # only what has the keyboard is asked, and only fields

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Before a field takes a key it says so; a window whose shortcut it is must not hear that."""
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        if QKeySequence(event.keyCombination()) not in self._keys:
            return False
        event.ignore()
        return True

    def _watch(self, _: QWidget | None, field: QWidget | None) -> None:
        if isinstance(field, _FIELDS) and field.window() is self._window:
            field.installEventFilter(self)  # one that has it already is not given it twice
