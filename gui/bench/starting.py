"""Begins a run with its first Learn."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.requests import Learn, Start
from gui.bench.draft_and_run import DraftAndRun
from gui.bench.opening import Opening
from gui.bridge import EngineBridge
from gui.runs.runs_directory import RunsDirectory


class Starting(QObject):
    """Asks for one run at a time, until it has begun, is refused or given up."""

    began = Signal(Path)  # a run has begun, even if something else was asked for since
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

    def _handle_started(self, start: Start, steps: int | None, run: Path) -> None:
        self.began.emit(run)
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
