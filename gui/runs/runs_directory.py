"""Where this window keeps runs: a folder that the user can change while the window is open."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from core.at_path import is_dir, real_path


class RunsDirectory(QObject):
    """`path` is the folder; `chosen` is the one that the user chose, to be remembered, or None.

    `path` is absolute and free of links, as are the paths from `RunFolder.create`: rows are identified by their paths.
    """

    changed = Signal()

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = real_path(path)
        self.chosen: Path | None = None

    def choose(self, path: Path) -> None:
        """Keep runs here from now on."""
        self.path, self.chosen = real_path(path), path
        self.changed.emit()

    def ask(self, parent: QWidget) -> Path | None:
        """The folder that the user chooses in a dialog, or None if they cancel."""
        there = str(self.path) if is_dir(self.path) else ""
        name = QFileDialog.getExistingDirectory(parent, "Where to keep runs", there)
        return Path(name) if name else None
