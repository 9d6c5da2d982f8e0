"""The shown run's name in the title of the window: several runs can have the same curves."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gui.context import Context
from gui.frame.status_bar import StatusBar
from gui.runs.run_names import run_name, shorten_name

TITLE = "Headlight"


class RunTitle(QObject):
    """Keeps the title up to date, and the name in the status bar: a full-screen window may have no title bar."""

    def __init__(self, context: Context, window: QWidget, status_bar: StatusBar) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._status_bar = status_bar
        self._named: Path | None = None  # the run whose name is shown
        window.setWindowTitle(TITLE)
        context.bridge.shown_changed.connect(self._update)
        context.workbench.changed.connect(self._update)

    def update_renamed(self, run: Path) -> None:
        """Update the title if this run, which was renamed, is the shown one."""
        if run == self._named:
            self._named = None
            self._update()

    def _update(self) -> None:
        folder = self._context.bridge.shown.folder
        path = None if folder is None else folder.path
        if path != self._named:
            self._named = path
            name = "" if folder is None else run_name(folder)
            self._window.setWindowTitle(f"{shorten_name(name)} · {TITLE}" if name else TITLE)
            self._status_bar.show_run(name)
