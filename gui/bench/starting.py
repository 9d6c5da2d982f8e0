"""Begins a run with its first Learn, and keeps track of its folder."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.requests import Branch, Learn, MoveRun, Start
from gui.bench.draft_and_run import DraftAndRun, RunHandle
from gui.bench.opening import Opening
from gui.bridge import EngineBridge
from gui.runs.runs_directory import RunsDirectory
from gui.runs.trash import trash_replaced_branch, trash_stepless_run


class Starting(QObject):
    """Asks for one run at a time, and remembers the newest that has begun, a branch included, until it is left.

    A run that is left before its first step goes to the trash, unless another was branched off it; so does a branch
    that another replaces. When the window closes, the run stays: the next start offers it, with its settings.
    """

    refused = Signal()

    def __init__(
        self, bridge: EngineBridge, current: DraftAndRun, opening: Opening, runs_directory: RunsDirectory
    ) -> None:
        super().__init__(current)
        self._bridge = bridge
        self._current = current
        self._opening = opening
        self._runs_directory = runs_directory
        self._request: Start | None = None
        self._started: Path | None = None
        opening.branched.connect(self._handle_branch)

    @property
    def is_pending(self) -> bool:
        """Whether a run was asked for and has not begun yet."""
        return self._request is not None

    def ask(self, steps: int | None) -> None:
        """Begin a run that takes these steps; if one was already asked for, do nothing."""
        if self._request is None:
            start = self._request = Start(runs_dir=self._runs_directory.path)
            self._bridge.ask(start, partial(self._handle_started, start, steps), partial(self._handle_refusal, start))

    def abandon(self) -> None:
        """Ignore the run that was asked for, even if it still begins: something else was asked for since."""
        self._request = None

    def move(self) -> None:
        """Move the current run to the folder in which runs are kept now."""
        handle = self._current.run_handle
        assert handle is not None
        self._bridge.ask(MoveRun(runs_dir=self._runs_directory.path), partial(self._handle_moved, handle))

    def switch_to(self, run: Path | None) -> None:
        """Another run, or none, is the current one now: forget the one that began, or throw it away."""
        if self._started is not None and self._started != run:
            if self._started.name != self._parent() and not self._opening.replaces(self._started):
                self._discard(trash_stepless_run, self._started)
            self._started = None

    def restore_started(self) -> None:
        """A later request was refused: if there is no current run, make the one that began meanwhile current."""
        if self._current.run is None:
            self._current.run = self._started
            self._current.changed.emit()

    def _handle_branch(self, request: Branch, branch: Path) -> None:
        self._started = branch
        if request.replaces_branch:
            self._discard(trash_replaced_branch, request.run)

    def _discard(self, move: Callable[[Path], None], run: Path) -> None:
        # If there is no trash, the run stays.
        self._bridge.run_in_background(partial(move, run), on_error=lambda _: None)

    def _parent(self) -> str | None:
        """The name of the run that the current one was branched off."""
        folder = self._bridge.history.folder
        return folder.state.parent if folder is not None else None

    def _handle_started(self, start: Start, steps: int | None, run: Path) -> None:
        self._started = run
        if start is self._request:
            self._request, self._current.run = None, run
            if not self._opening.is_pending:  # else this run is being left, and the opened one would learn
                self._bridge.ask(Learn(steps=steps))
            self._current.changed.emit()

    def _handle_refusal(self, start: Start, error: Exception) -> None:
        if start is self._request:
            self._request = None
            self._bridge.show_refusal(error)
            self.refused.emit()

    def _handle_moved(self, handle: RunHandle, moved: Path) -> None:
        if self._started == handle.path:
            self._started = moved
        handle.path = moved
        if handle is self._current.run_handle:  # else it was left meanwhile
            self._current.changed.emit()
