"""A button that has a file or folder chosen in the desktop's own dialog, while the window goes on."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton

from core.settings.fields import PathKind

_MODES = {"file": QFileDialog.FileMode.ExistingFile, "folder": QFileDialog.FileMode.Directory}


class PathButton(QPushButton):
    """`chosen` carries the path. The dialog begins where the field beside the button points to."""

    chosen = Signal(str)

    def __init__(self, field: QLineEdit, kind: PathKind, label: str) -> None:
        super().__init__("Choose…")
        self._field = field
        self._kind, self._title = kind, f"Choose a {kind}: {label}"
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Space to Learn
        self.setAccessibleName(self._title)
        self.setToolTip(f"Choose the {kind} in a dialog")
        self.clicked.connect(self.open_dialog)

    def open_dialog(self) -> None:
        """Let somebody choose; nothing waits for it."""
        dialog = QFileDialog(self, self._title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(_MODES[self._kind])
        there = Path(self._field.text())
        if there.is_absolute():
            dialog.setDirectory(str(there if self._kind == "folder" else there.parent))
        dialog.fileSelected.connect(self.chosen)
        dialog.open()
