"""Where this window keeps runs: a folder that can be exchanged for another while the window is open."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget


class RunsPlace(QObject):
    """`path` is the folder; `chosen` the one that a person chose, to be remembered, None where nobody did.

    `path` is free of links and absolute, as `RunFolder.create` gives the path of a run: rows are told by theirs.
    """

    changed = Signal()

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path.resolve()
        self.chosen: Path | None = None

    def choose(self, path: Path) -> None:
        """Keep runs here from now on."""
        self.path, self.chosen = path.resolve(), path
        self.changed.emit()

    def ask(self, parent: QWidget) -> Path | None:
        """The folder that somebody chooses in a dialog; None where they leave it."""
        there = str(self.path) if self.path.is_dir() else ""
        name = QFileDialog.getExistingDirectory(parent, "Where to keep runs", there)
        return Path(name) if name else None
