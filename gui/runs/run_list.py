"""The runs that Runs lists. The folder is read, and runs are moved to the trash, beside the GUI thread."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from gui.bridge import EngineBridge
from gui.runs.rows import RunRow, RunRowReader
from gui.runs.runs_directory import RunsDirectory
from gui.runs.trash import TrashResult, move_to_trash

REFRESH_MS = 2000  # between two readings of the folder while it is watched: another process may begin a run


class RunList(QObject):
    """`rows` holds the newest run first, the example last, without those on their way to the trash.

    While the list is watched, the folder is read every two seconds, and whenever this window's own run has changed.
    """

    changed = Signal()
    deleted = Signal(object, int)  # the rows of the runs that are in the trash now, and how many were to be

    def __init__(self, bridge: EngineBridge, runs_directory: RunsDirectory) -> None:
        super().__init__()
        self.rows: list[RunRow] = []
        self._bridge = bridge
        self._runs_directory = runs_directory
        self._reader = RunRowReader(runs_directory.path)
        self._is_watched = False
        self._is_reading = self._read_again = False
        self._being_deleted: set[Path] = set()  # a reading begun before may list them
        self._timer = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        runs_directory.changed.connect(self._read_other_directory)
        for signal in (bridge.run_started, bridge.run_finished, bridge.state_changed):
            signal.connect(self._refresh_if_watched)

    def watch(self) -> None:
        """Keep `rows` up to date from now on."""
        self._is_watched = True
        self.refresh()

    def unwatch(self) -> None:
        """Rest until somebody looks again."""
        self._is_watched = False
        self._timer.stop()

    def refresh(self) -> None:
        """Read the folder again; if it is being read already, once more afterwards."""
        if self._is_reading:
            self._read_again = True
            return
        self._is_reading, self._read_again = True, False
        self._bridge.run_in_background(self._reader.read, self._show, self._handle_error)

    def delete(self, rows: Sequence[RunRow]) -> None:
        """Move these runs to the trash, and list them no longer."""
        paths = [row.path for row in rows]
        self._being_deleted.update(paths)
        self._list(self.rows)
        move, take = partial(move_to_trash, paths), partial(self._handle_deleted, rows)
        self._bridge.run_in_background(move, take, partial(self._list_again, paths))

    def _list(self, rows: Sequence[RunRow]) -> None:
        self.rows = [row for row in rows if row.path not in self._being_deleted]
        self.changed.emit()

    def _show(self, rows: Sequence[RunRow]) -> None:
        self._is_reading = False
        self._list(rows)
        if self._is_watched:  # after a failure it rests until F5: the error is shown once
            self._timer.start()
        if self._read_again or (self._is_watched and not self._reader.has_read_all):
            self.refresh()

    def _handle_error(self, error: Exception) -> None:
        self._is_reading = False
        self._bridge.report(error)
        if self._read_again:  # another folder may have been chosen meanwhile
            self.refresh()

    def _refresh_if_watched(self) -> None:
        if self._is_watched:
            self.refresh()

    def _read_other_directory(self) -> None:
        self._reader = RunRowReader(self._runs_directory.path)
        self._refresh_if_watched()

    def _handle_deleted(self, rows: Sequence[RunRow], result: TrashResult) -> None:
        self._being_deleted.difference_update(row.path for row in rows)
        self.deleted.emit([row for row in rows if row.path in result.moved], len(rows))
        for error in result.refused:
            self._bridge.report(error)
        self.refresh()

    def _list_again(self, paths: Sequence[Path], error: Exception) -> None:
        """List these runs again: which of them were moved before the error is not known."""
        self._being_deleted.difference_update(paths)
        self._bridge.report(error)
        self.refresh()
