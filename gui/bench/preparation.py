"""Prepares data, model and first probe of the draft before a run begins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from core.config import RunConfig
from core.events import Prepared
from core.requests import Prepare
from gui.bench.draft_and_run import RestorePoint
from gui.bridge import EngineBridge


@dataclass(frozen=True)
class _PendingRequest:
    """A Prepare request, and the state to go back to if the engine cannot leave the current run."""

    request: Prepare
    restore_point: RestorePoint


class Preparation(QObject):
    """Asks the engine to prepare, now or after a delay; only the newest request counts."""

    due = Signal()
    refused = Signal(object, object)  # the RestorePoint, and the Exception that says why

    def __init__(self, bridge: EngineBridge, parent: QObject) -> None:
        super().__init__(parent)
        self.is_outdated = False  # whether plugins were reloaded during an opening, so that their old code is in use
        self._bridge = bridge
        self._pending: _PendingRequest | None = None
        self._delay = QTimer(self, singleShot=True)
        self._delay.timeout.connect(self.due)

    @property
    def is_scheduled(self) -> bool:
        """Whether the delay is running."""
        return self._delay.isActive()

    @property
    def is_pending(self) -> bool:
        return self._pending is not None

    def schedule(self, milliseconds: int) -> None:
        """Emit `due` after this delay, instead of any delay that is running."""
        self._delay.start(milliseconds)

    def stop(self) -> None:
        """Stop the delay."""
        self._delay.stop()

    def ask(self, config: RunConfig, restore_point: RestorePoint) -> None:
        """Have the engine prepare this.

        While an earlier request is unanswered, its restore point is kept: that run may not have been left yet.
        """
        self.stop()
        self.is_outdated = False
        request = Prepare(config=config)
        self._pending = _PendingRequest(request, self._pending.restore_point if self._pending else restore_point)
        self._bridge.ask(request, partial(self._handle_prepared, request), partial(self._handle_refusal, request))

    def abandon(self) -> None:
        """Ignore the answer to an unanswered request: a run was opened."""
        self._pending, self.is_outdated = None, False

    def fail(self, error: Exception) -> None:
        """Treat an unanswered request as refused for this reason: the engine will not answer it any more."""
        if self._pending is not None:
            self._handle_refusal(self._pending.request, error)

    def _handle_prepared(self, request: Prepare, _: Prepared) -> None:
        """Note the answer: the run before it was left for good."""
        if self._pending is not None and request is self._pending.request:
            self._pending = None

    def _handle_refusal(self, request: Prepare, error: Exception) -> None:
        pending = self._pending
        if pending is not None and request is pending.request:
            self._pending = None
            self.refused.emit(pending.restore_point, error)
