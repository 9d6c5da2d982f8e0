"""A text field that handles Esc itself."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit


class EscapableEdit(QLineEdit):
    """Handles Esc before the window's shortcut does: `escaped` says that the user gave up the edit."""

    escaped = Signal()

    def __init__(self, name: str, hint: str, help: str) -> None:
        super().__init__(placeholderText=hint)
        self.setAccessibleName(name)
        self.setToolTip(help)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.KeyPress:
                self.escaped.emit()
            event.accept()
            return True
        return super().event(event)
