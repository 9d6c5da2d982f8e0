"""Data, model and first probe of the draft, before a run begins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from core.config import RunConfig
from core.events import Prepared
from core.requests import Prepare
from gui.bench.at_hand import Before
from gui.bridge import EngineBridge


@dataclass(frozen=True)
class _Unanswered:
    """What was asked for, and what is at hand again where the engine cannot leave that."""

    request: Prepare
    before: Before


class Preparation(QObject):
    """Asks the engine for it, now or in a moment; the newest counts."""

    due = Signal()
    refused = Signal(object, object)  # what was at hand Before, and the Exception that says why

    def __init__(self, bridge: EngineBridge, parent: QObject) -> None:
        super().__init__(parent)
        self.is_outdated = False  # the plugins were read anew during an opening: what is prepared has their old code
        self._bridge = bridge
        self._unanswered: _Unanswered | None = None
        self._delay = QTimer(self, singleShot=True)
        self._delay.timeout.connect(self.due)

    @property
    def is_coming(self) -> bool:
        """Whether it is due in a moment."""
        return self._delay.isActive()

    @property
    def is_unanswered(self) -> bool:
        return self._unanswered is not None

    def come_in(self, milliseconds: int) -> None:
        """Be due then, and no sooner."""
        self._delay.start(milliseconds)

    def stop(self) -> None:
        """Be due no more."""
        self._delay.stop()

    def ask(self, config: RunConfig, before: Before) -> None:
        """Have the engine prepare this; what was before an unanswered one may not be left yet, and stays in mind."""
        self.stop()
        self.is_outdated = False
        request = Prepare(config=config)
        self._unanswered = _Unanswered(request, self._unanswered.before if self._unanswered else before)
        self._bridge.ask(request, partial(self._end, request), partial(self._refuse, request))

    def forget(self) -> None:
        """A run is at hand: what is prepared, and what comes of what was asked for, is of no interest."""
        self._unanswered, self.is_outdated = None, False

    def call_off(self, error: Exception) -> None:
        """The engine answers nothing any more that waited for it, for this reason."""
        if self._unanswered is not None:
            self._refuse(self._unanswered.request, error)

    def _end(self, request: Prepare, _: Prepared) -> None:
        """What was at hand was left for good."""
        if self._unanswered is not None and request is self._unanswered.request:
            self._unanswered = None

    def _refuse(self, request: Prepare, error: Exception) -> None:
        unanswered = self._unanswered
        if unanswered is not None and request is unanswered.request:
            self._unanswered = None
            self.refused.emit(unanswered.before, error)
