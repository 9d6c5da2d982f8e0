"""Prepares data, model and first probe of the draft before a run begins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from core.config import RunConfig
from core.events import Prepared
from core.requests import Prepare
from gui.bench.draft_and_run import Before
from gui.bridge import EngineBridge


@dataclass(frozen=True)
class _Unanswered:
    """A Prepare request, and the state to go back to if the engine cannot leave the current run."""

    request: Prepare
    before: Before


class Preparation(QObject):
    """Asks the engine to prepare, now or after a delay; only the newest request counts."""

    due = Signal()
    refused = Signal(object, object)  # the state Before, and the Exception that says why

    def __init__(self, bridge: EngineBridge, parent: QObject) -> None:
        super().__init__(parent)
        self.is_outdated = False  # whether plugins were reloaded during an opening, so that their old code is in use
        self._bridge = bridge
        self._unanswered: _Unanswered | None = None
        self._delay = QTimer(self, singleShot=True)
        self._delay.timeout.connect(self.due)

    @property
    def is_coming(self) -> bool:
        """Whether the delay is running."""
        return self._delay.isActive()

    @property
    def is_unanswered(self) -> bool:
        return self._unanswered is not None

    def come_in(self, milliseconds: int) -> None:
        """Emit `due` after this delay, instead of any delay that is running."""
        self._delay.start(milliseconds)

    def stop(self) -> None:
        """Stop the delay."""
        self._delay.stop()

    def ask(self, config: RunConfig, before: Before) -> None:
        """Have the engine prepare this.

        While an earlier request is unanswered, its `before` is kept: that run may not have been left yet.
        """
        self.stop()
        self.is_outdated = False
        request = Prepare(config=config)
        self._unanswered = _Unanswered(request, self._unanswered.before if self._unanswered else before)
        self._bridge.ask(request, partial(self._end, request), partial(self._refuse, request))

    def forget(self) -> None:
        """Ignore the answer to an unanswered request: a run was opened."""
        self._unanswered, self.is_outdated = None, False

    def call_off(self, error: Exception) -> None:
        """Treat an unanswered request as refused for this reason: the engine will not answer it any more."""
        if self._unanswered is not None:
            self._refuse(self._unanswered.request, error)

    def _end(self, request: Prepare, _: Prepared) -> None:
        """Note the answer: the run before it was left for good."""
        if self._unanswered is not None and request is self._unanswered.request:
            self._unanswered = None

    def _refuse(self, request: Prepare, error: Exception) -> None:
        unanswered = self._unanswered
        if unanswered is not None and request is unanswered.request:
            self._unanswered = None
            self.refused.emit(unanswered.before, error)
