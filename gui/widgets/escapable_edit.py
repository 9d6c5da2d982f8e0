"""Text fields that handle Esc before the window's shortcut does: `escaped` says that the user gave up the edit."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal, SignalInstance
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit


class EscapableEdit(QLineEdit):
    """A line of text."""

    escaped = Signal()

    def __init__(self, name: str, hint: str, help: str) -> None:
        super().__init__(placeholderText=hint)
        self.setAccessibleName(name)
        self.setToolTip(help)

    def event(self, event: QEvent) -> bool:
        return _handle_escape(event, self.escaped) or super().event(event)


class NoteEdit(QPlainTextEdit):
    """Several lines of plain text. Tab leaves it."""

    editing_finished = Signal()
    escaped = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)

    def event(self, event: QEvent) -> bool:
        return _handle_escape(event, self.escaped) or super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.editing_finished.emit()


def _handle_escape(event: QEvent, escaped: SignalInstance) -> bool:
    """Emit `escaped` if Esc was pressed. Returns whether the event was of that key, and so is handled."""
    if not isinstance(event, QKeyEvent) or event.key() != Qt.Key.Key_Escape:
        return False
    if event.type() == QEvent.Type.KeyPress:
        escaped.emit()
    event.accept()
    return True
