"""Keeps the runs that begin here, in the folder that the user has chosen; those without a step go to the trash."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from core.requests import Branch, MoveRun
from gui.bench.draft_and_run import DraftAndRun, RunHandle
from gui.bench.opening import Opening
from gui.bench.starting import Starting
from gui.bridge import EngineBridge
from gui.runs.runs_directory import RunsDirectory
from gui.runs.trash import trash_replaced_branch, trash_stepless_run


class Keeping(QObject):
    """Remembers the newest run that has begun, a branch included, until it is left.

    A run that is left before its first step goes to the trash, unless another was branched off it; so does a branch
    that another replaces. When the window closes, the run stays: the next start offers it, with its settings.
    """

    def __init__(
        self,
        bridge: EngineBridge,
        current: DraftAndRun,
        opening: Opening,
        starting: Starting,
        runs_directory: RunsDirectory,
    ) -> None:
        super().__init__(current)
        self._bridge = bridge
        self._current = current
        self._opening = opening
        self._runs_directory = runs_directory
        self._newest: Path | None = None
        starting.began.connect(self._handle_begun)
        opening.branched.connect(self._handle_branch)

    def move(self) -> None:
        """Move the current run to the folder in which runs are kept now."""
        handle = self._current.run_handle
        assert handle is not None
        self._bridge.ask(MoveRun(runs_dir=self._runs_directory.path), partial(self._handle_moved, handle))

    def switch_to(self, run: Path | None) -> None:
        """Another run, or none, is the current one now: forget the one that began, or throw it away."""
        if self._newest is not None and self._newest != run:
            if self._newest.name != self._parent() and not self._opening.replaces(self._newest):
                self._discard(trash_stepless_run, self._newest)
            self._newest = None

    def restore_newest(self) -> None:
        """A later request was refused: if there is no current run, make the one that began meanwhile current."""
        if self._current.run is None:
            self._current.run = self._newest
            self._current.changed.emit()

    def _handle_begun(self, run: Path) -> None:
        self._newest = run

    def _handle_branch(self, request: Branch, branch: Path) -> None:
        self._newest = branch
        if request.replaces_branch:
            self._discard(trash_replaced_branch, request.run)

    def _discard(self, move: Callable[[Path], None], run: Path) -> None:
        # If there is no trash, the run stays.
        self._bridge.run_in_background(partial(move, run), on_error=lambda _: None)

    def _parent(self) -> str | None:
        """The name of the run that the current one was branched off."""
        folder = self._bridge.history.folder
        return folder.state.parent if folder is not None else None

    def _handle_moved(self, handle: RunHandle, moved: Path) -> None:
        if self._newest == handle.path:
            self._newest = moved
        handle.path = moved
        if handle is self._current.run_handle:  # else it was left meanwhile
            self._current.changed.emit()
