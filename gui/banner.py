"""The offer to continue the last interrupted run: one line, no dialog."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout

from core.run_folder import RunFolder
from gui.theme import GRID, Theme
from gui.widgets import IconButton, button, plain_label


class ResumeBanner(QFrame):
    """`accepted` carries the run to open."""

    accepted = Signal(Path)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.run: Path | None = None
        self.sentence = plain_label()
        self.open_button = button("Open it again", "Load this run at its last checkpoint; Learn goes on from there")
        self.dismiss_button = IconButton(theme, "close", "Not now")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID // 2, GRID, GRID // 2)
        layout.addWidget(self.sentence, 1)
        layout.addWidget(self.open_button)
        layout.addWidget(self.dismiss_button)
        self.open_button.clicked.connect(self._accept)
        self.dismiss_button.clicked.connect(self.hide)
        self.hide()

    def offer(self, folder: RunFolder | None) -> None:
        """Offer a run; None offers nothing."""
        if folder is not None:
            self.run = folder.path
            self.sentence.setText(f"{folder.path.name} was left at step {folder.state.last_step:,}, unfinished.")
            self.show()

    def _accept(self) -> None:
        self.hide()
        self.accepted.emit(self.run)
