"""Shares a run as one file, and opens a run that was shared."""

from __future__ import annotations

from functools import partial
from math import ceil
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from core.exporting.sharing import receive, share
from core.run_files.archive import SUFFIX
from core.run_files.runs_dir import safe_folder_name
from core.run_folder import RunFolder
from gui.context import Context
from gui.widgets.save_dialog import ask_where_to_save

_KIND = "Shared runs"


class SharedRuns(QObject):
    """Asks where, and writes or reads the file beside the GUI thread; `parent` is the parent of its dialogs."""

    opened = Signal()  # a run was received and is being opened
    written = Signal(Path, Path, str)  # a run, the file it was written to, and the file's size in words

    def __init__(self, context: Context, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._parent = parent

    def ask_and_write(self, run: Path, name: str) -> None:
        """Ask where to save a run of this name, and write it there."""
        start = str(Path.home() / f"{safe_folder_name(name)}{SUFFIX}")
        path = ask_where_to_save(self._parent, "Share the run as", start, {SUFFIX: _KIND})
        if path is not None:
            self.write(run, path)

    def write(self, run: Path, path: Path) -> None:
        """Write a run to one file."""
        self._context.bridge.run_in_background(
            partial(_share, run, path), lambda size: self.written.emit(run, path, size)
        )

    def ask_and_open(self) -> None:
        """Ask for a file, and open it."""
        name, _ = QFileDialog.getOpenFileName(self._parent, "Open a shared run", "", f"{_KIND} (*{SUFFIX})")
        if name:
            self.open_file(Path(name))

    def open_file(self, path: Path) -> None:
        """Add a shared run to the runs folder, and open it."""
        self._context.bridge.run_in_background(partial(receive, path, self._context.runs_directory.path), self._open)

    def _open(self, run: Path) -> None:
        self._context.workbench.open_run(run)
        self.opened.emit()


def _share(run: Path, path: Path) -> str:
    """Write the file, and return its size in words: kept weights make it large."""
    share(RunFolder.open(run), path)
    return f"{ceil(path.stat().st_size / 1e6):,} MB"
