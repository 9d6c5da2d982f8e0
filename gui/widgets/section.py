"""A section that folds; its heading counts the changed settings inside."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.theme import GRID
from gui.widgets.buttons import FoldButton


class Section(QWidget):
    """A heading button above a body that it shows or hides."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.title = title
        self.heading = FoldButton(title)
        content = QWidget()
        self.body = QVBoxLayout(content)
        self.body.setContentsMargins(2 * GRID, 0, 0, GRID)
        self.body.setSpacing(GRID)
        content.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        layout.addWidget(self.heading)
        layout.addWidget(content)
        self.heading.toggled.connect(content.setVisible)

    def count_changes(self, changes: int) -> None:
        """Show in the heading how many keys inside differ from the preset or file."""
        text = self.title + (f" · {changes} changed" if changes else "")
        self.heading.setText(text)
        self.heading.setAccessibleName(text)
