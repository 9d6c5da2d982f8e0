"""Opens another run, or a branch of one, in place of the current one."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.events import Prepared
from core.requests import Branch, ChangeSetting, OpenRun
from gui.bench.draft_and_run import DraftAndRun
from gui.bench.previous_run import PreviousRun
from gui.bridge import EngineBridge, OnDone


class Opening(QObject):
    """Handles one request at a time, the newest, until its run is open, refused or given up.

    If it is refused after the current run was left, that one is opened again.
    """

    requested = Signal()  # a run has just been asked for
    refused_without_run = Signal()  # refused, and there is no current run to open again
    reopening_failed = Signal()  # the current run could not be opened again: only its settings are left
    branched = Signal(object, Path)  # the Branch request and its new run, even if something else was asked for since

    def __init__(self, bridge: EngineBridge, current: DraftAndRun) -> None:
        super().__init__(current)
        self._bridge = bridge
        self._current = current
        self._request: OpenRun | Branch | None = None
        self._reopening: OpenRun | None = None  # the newest request that opens the current run again by itself

    @property
    def is_pending(self) -> bool:
        return self._request is not None

    @property
    def is_restoring(self) -> bool:
        """Whether the current run is being opened again, to be as it was left."""
        return self._request is not None and self._request is self._reopening

    def involves(self, run: Path) -> bool:
        """Whether this run, or a branch of it, is being opened."""
        return self._request is not None and run == self._request.run

    def replaces(self, run: Path) -> bool:
        """Whether the run being opened replaces this branch."""
        return isinstance(self._request, Branch) and self._request.replaces_branch and run == self._request.run

    def matches(self, run: Path) -> bool:
        """Whether this run, which has just been opened, is the one asked for, or the branch asked for."""
        if isinstance(self._request, OpenRun):
            return run == self._request.run.absolute()
        folder = self._bridge.history.folder
        return self._request is not None and folder is not None and folder.state.parent == self._request.run.name

    def ask(self, request: OpenRun | Branch, on_opened: OnDone[Prepared] | None = None) -> None:
        """Open a run, then call `on_opened`, unless something else is asked for meanwhile."""
        self._request = request
        self._bridge.ask(
            request, partial(self._handle_opened, request, on_opened), partial(self._handle_refusal, request)
        )
        self.requested.emit()

    def abandon(self) -> None:
        """Ignore the run being opened: something else is asked for now."""
        self._request = None

    def _handle_opened(self, request: OpenRun | Branch, on_opened: OnDone[Prepared] | None, prepared: Prepared) -> None:
        if isinstance(request, Branch):
            self.branched.emit(request, prepared.run)
        if request is self._request:
            self._request = None
            self._report_weights_step()
            if on_opened is not None:
                on_opened(prepared)

    def _report_weights_step(self) -> None:
        """Say which step the weights are from, if another process writes the run or it was killed after that step."""
        weights_of, curves_to = self._bridge.state_step, self._bridge.history.last_step
        folder = self._bridge.history.folder
        writer = folder.state.writer() if folder is not None else None
        opened = f"Opened at the checkpoint of step {weights_of:,}"
        if writer is not None:
            self._bridge.run_message.emit(
                f"{opened}: {writer} writes this run; once that has ended, open it again to learn here"
            )
        elif weights_of < curves_to:
            goes_on = f"Learn continues from there; the curves reach step {curves_to:,}"
            self._bridge.run_message.emit(f"{opened}: {goes_on}")

    def _handle_refusal(self, request: OpenRun | Branch, error: Exception) -> None:
        if request is self._request:
            self._request = None
            self._bridge.show_refusal(error)
            if self._current.run is None:
                self.refused_without_run.emit()
            elif self._bridge.state == "empty":  # else the current run was not left
                self._reopen(request, self._current.run)

    def _reopen(self, refused: OpenRun | Branch, run: Path) -> None:
        """Open the current run again: it was left for one that turned out to be damaged."""
        again = OpenRun(run=run)
        if refused == again:
            self.reopening_failed.emit()
        else:
            self._reopening, left = again, PreviousRun.of(self._current, self._bridge.history)
            self.ask(again, partial(self._restore, left))

    def _restore(self, left: PreviousRun, prepared: Prepared) -> None:
        """Show the run as it was left, and repeat changes that were not on disk; say so if its step has changed."""
        assert prepared.run is not None
        left.restore(self._current, prepared.config)
        for key, value in left.lost_changes(prepared.config).items():
            self._bridge.ask(ChangeSetting(key=key, value=value))
        step = self._bridge.history.last_step
        if step != left.last_step:
            sentence = f"{prepared.run.name} was at step {left.last_step:,}, and is at step {step:,} now"
            self._bridge.run_message.emit(sentence)
