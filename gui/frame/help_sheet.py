"""The help sheet: every shortcut, the version and licences, and where runs are kept."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QFormLayout, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from core.version import version
from gui.runs.runs_directory import RunsDirectory
from gui.theme import GRID, Theme
from gui.widgets.buttons import button
from gui.widgets.dynamic_labels import ElidedLabel
from gui.widgets.labels import plain_label
from gui.widgets.scrolling_page import ScrollingPage
from gui.workbench import MORE_STEPS

SHORTCUTS = (
    ("Space", f"Learn or pause; {MORE_STEPS:,} more steps if the run is finished"),
    ("Ctrl+R", "Reset with the same seed"),
    ("Ctrl+Shift+R", "Reset with the next seed, as does a click with Shift"),
    ("Ctrl+B", "Continue from the viewed step in a new run"),
    ("L", "Return to the newest step"),
    ("P  Shift+P", "Replay the run from the viewed step, probe by probe, or rewind it; again: stop"),
    ("← →  Home  End", "On the steps of the run: previous, next probe; step 0; the newest step"),
    ("[  ]", "Previous, next sentence"),
    ("Ctrl+1 … 7", "Train, Attention, Translate, Data, Anatomy, Runs, Plugins"),
    ("Alt+↑ ↓ ← →", "Layer and head of the large attention map"),
    ("Alt+K  F  L  X", "Its kind; teacher-forced or free-running; as lines; head off or on"),
    ("Ctrl+F", "In Data and Runs: search"),
    ("Ctrl+PgUp  PgDown", "In Data: the previous page, the next"),
    ("Enter", "In a table: open or follow the run, try the plugin, show the example's pairs"),
    ("F2  Delete", "In Runs: rename the chosen run; move the chosen runs to the trash"),
    ("F5", "In Runs: read the folder again; in Plugins: the files"),
    ("Ctrl+E", "Setup"),
    ("Ctrl+D", "Light or dark"),
    ("Ctrl++  Ctrl+-  Ctrl+0", "Zoom in, out, back to 100 %"),
    ("Esc", "Dismiss what is shown"),
    ("F1", "This sheet"),
)
_ABOUT = (
    f"Headlight {version()}, under the MIT licence.",
    "The window uses Qt through PySide6, under the GNU LGPL version 3.",
)


class HelpSheet(QFrame):
    """Covers the middle of `parent` until it is closed, as large as its content; scrolls if there is less room.

    `tour_requested` is emitted when the user asks for the tour again.
    """

    tour_requested = Signal()

    def __init__(self, theme: Theme, runs_directory: RunsDirectory, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.setObjectName("sheet")
        self.setAccessibleName("Help")
        self.page = _Page()
        self._texts = [plain_label(text, role="muted") for text in (*(meaning for _, meaning in SHORTCUTS), *_ABOUT)]
        self._runs_directory, self._runs_label = runs_directory, ElidedLabel(role="muted")
        self.close_button = button("Close", "Close this sheet (Esc)")
        self.tour_button = button("Show the tour", "Five steps through the window, as on the first start")
        self._lay_out()
        self._show_runs_directory()
        self.hide()
        self.close_button.clicked.connect(self.toggle)
        self.tour_button.clicked.connect(self._show_tour)
        runs_directory.changed.connect(self._show_runs_directory)
        theme.changed.connect(self._fit)
        parent.installEventFilter(self)

    def toggle(self) -> None:
        """Show the sheet, or hide it."""
        if self.isVisible():
            self.window().setFocus()  # else the next button gets the focus, and takes Space from Learn
        self.setVisible(not self.isVisible())
        if self.isVisible():
            self._fit()
            self.raise_()
            self.close_button.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the sheet again when the widget below it is resized."""
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return False

    def _lay_out(self) -> None:
        rows = QFormLayout()
        rows.setHorizontalSpacing(3 * GRID)
        rows.setVerticalSpacing(GRID // 2)
        for (keys, _), text in zip(SHORTCUTS, self._texts, strict=False):
            rows.addRow(plain_label(keys), text)
        column = self.page.column
        column.addWidget(plain_label("Keyboard", role="heading"))
        column.addLayout(rows)
        column.addWidget(plain_label("About", role="heading"))
        for widget in (*self._texts[len(SHORTCUTS) :], self._runs_label):
            column.addWidget(widget)
        foot = QHBoxLayout()
        foot.addWidget(self.tour_button)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 3 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addWidget(self.page)
        layout.addLayout(foot)

    def _fit(self) -> None:
        if self.isVisible():
            room = self._parent.rect().adjusted(GRID, GRID, -GRID, -GRID)
            self._wrap_texts(False)
            needed = self.sizeHint()
            if needed.height() > room.height():
                needed += QSize(self.page.verticalScrollBar().sizeHint().width() + GRID, 0)
            if needed.width() > room.width():
                self._wrap_texts(True)
            self.resize(needed.boundedTo(room.size()))
            self.move(room.center() - self.rect().center())

    def _wrap_texts(self, wraps: bool) -> None:
        for text in self._texts:
            text.setWordWrap(wraps)
        self.page.update_layout()

    def _show_runs_directory(self) -> None:
        self._runs_label.setText(f"Runs are kept in {self._runs_directory.path}")

    def _show_tour(self) -> None:
        self.toggle()
        self.tour_requested.emit()


class _Page(ScrollingPage):
    """Asks for room for all its parts; Tab reaches it, and the arrow keys scroll it."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Shortcuts, and about Headlight")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(2 * GRID)

    def sizeHint(self) -> QSize:
        return self.column.sizeHint()

    def update_layout(self) -> None:
        """Measure the parts again: zoom changes their sizes, but while hidden they report none."""
        self.column.invalidate()
        self.column.activate()
        self.updateGeometry()
