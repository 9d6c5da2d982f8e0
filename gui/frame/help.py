"""The help sheet: every shortcut, where things are kept, and whose work this stands on."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from core.version import version
from gui.runs.place import RunsPlace
from gui.theme import GRID
from gui.widgets.buttons import button
from gui.widgets.labels import plain_label

SHORTCUTS = (
    ("Space", "Learn, or pause"),
    ("Ctrl+R", "Reset with the same seed; Shift and a click: with the next"),
    ("Ctrl+B", "Continue from the viewed step in a new run"),
    ("L", "Look at the newest step again"),
    ("P  Shift+P", "Replay the run from the viewed step, probe by probe, or rewind it; stop"),
    ("← →  Home  End", "On the steps of the run: probe by probe, step 0, the newest step"),
    ("[  ]", "Previous, next sentence"),
    ("Ctrl+1 … 7", "Train, Attention, Translate, Data, Anatomy, Runs, Plugins"),
    ("Alt+↑ ↓ ← →", "Layer and head of the attention that is drawn large"),
    ("Alt+K  F  L  X", "Its kind; fed by the reference or free-running; as lines; that head off or on"),
    ("F2", "In Runs: name the chosen run"),
    ("Ctrl+E", "Setup"),
    ("Ctrl+D", "Light or dark"),
    ("Ctrl++  Ctrl+-  Ctrl+0", "Zoom in, out, back"),
    ("Esc", "Dismiss what is shown"),
    ("F1", "This sheet"),
)


class HelpSheet(QFrame):
    """Lies over the window's middle until it is closed; `tour_asked` says that the tour is wanted again."""

    tour_asked = Signal()

    def __init__(self, place: RunsPlace, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        self.setObjectName("sheet")
        self.setAccessibleName("Help")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 3 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addWidget(plain_label("Keyboard", role="heading"))
        rows = QFormLayout()
        rows.setHorizontalSpacing(3 * GRID)
        rows.setVerticalSpacing(GRID // 2)
        for keys, meaning in SHORTCUTS:
            rows.addRow(plain_label(keys), plain_label(meaning, role="muted"))
        layout.addLayout(rows)
        layout.addWidget(plain_label("About", role="heading"))
        for line in (
            f"Headlight {version()}, under the MIT licence.",
            "The window uses Qt through PySide6, under the GNU LGPL version 3.",
        ):
            layout.addWidget(plain_label(line, role="muted"))
        self._place, self._place_label = place, plain_label(role="muted")
        layout.addWidget(self._place_label)
        place.changed.connect(self._show_place)
        self._show_place()
        self.close_button = button("Close", "Close this sheet (Esc)")
        self.close_button.clicked.connect(self.toggle)
        self.tour_button = button("Show the tour", "Five steps through the window, as on the first start")
        self.tour_button.clicked.connect(self._show_tour)
        foot = QHBoxLayout()
        foot.addWidget(self.tour_button)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        layout.addLayout(foot)
        self.hide()

    def toggle(self) -> None:
        """Show it in the middle, or take it away."""
        if self.isVisible():
            self.window().setFocus()  # or the next button would get it, and take Space from Learn
        self.setVisible(not self.isVisible())
        if self.isVisible():
            self.adjustSize()
            self.move(self._over.rect().center() - self.rect().center())
            self.raise_()
            self.close_button.setFocus()

    def _show_place(self) -> None:
        self._place_label.setText(f"Runs are kept in {self._place.path}")

    def _show_tour(self) -> None:
        self.toggle()
        self.tour_asked.emit()
