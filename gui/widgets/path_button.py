"""A button that opens the desktop's dialog for a file or folder, without blocking the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton

from core.home_paths import expand_home
from core.plugin_files import absolute
from core.settings.fields import PathKind

_MODES = {"file": QFileDialog.FileMode.ExistingFile, "folder": QFileDialog.FileMode.Directory}


class PathButton(QPushButton):
    """`chosen` carries the path. The dialog opens at the path in the field beside the button.

    Relative file names refer to the folder that `folder()` returns, and a file chosen inside it is named relative to
    it, so that only the folder has to be changed when the files are moved.
    """

    chosen = Signal(str)

    def __init__(self, field: QLineEdit, kind: PathKind, label: str, folder: Callable[[], str | None]) -> None:
        super().__init__("Choose …")
        self._field, self._folder = field, folder
        self._kind, self._title = kind, f"Choose a {kind}: {label}"
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click does not take the focus: Space stays with Learn
        self.setAccessibleName(self._title)
        self.setToolTip(f"Choose the {kind} in a dialog")
        self.clicked.connect(self.open_dialog)

    def open_dialog(self) -> None:
        """Open the dialog and return at once."""
        dialog = QFileDialog(self, self._title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(_MODES[self._kind])
        name = self._field.text()
        typed = expand_home(self._base_folder() or "") / expand_home(name)
        if typed != Path():  # else Qt opens it where the last dialog ended
            there = Path(absolute(str(typed)))
            dialog.setDirectory(str(there.parent if name and self._kind == "file" else there))
        dialog.fileSelected.connect(self._handle_selected)
        dialog.open()

    def _handle_selected(self, chosen: str) -> None:
        folder, path = self._base_folder(), Path(chosen)
        if folder is not None and path.is_relative_to(absolute(folder)):
            path = path.relative_to(absolute(folder))
        self.chosen.emit(str(path))

    def _base_folder(self) -> str | None:
        return self._folder() if self._kind == "file" else None
