"""The rest of a question that repeats itself while the model learns, because the weights it is about are others."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from core.answers.looked import seconds_of
from core.events import StateChanged
from gui.bridge import EngineBridge

SHARE = 0.015  # of the engine's time that repeating one question may take; no view repeats more than two
LEAST_S = 0.25  # faster, nobody could read the answers
LONGEST_S = 10.0  # whatever one answer took: one that is older is taken for what the model writes now


class Rest(QObject):
    """Begins with an answer and pays for what that cost; over at once when the learning is.

    It holds back repetitions only: what somebody asks is asked whatever rests.
    """

    over = Signal()

    def __init__(self, bridge: EngineBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.over)
        bridge.state_changed.connect(self._take_state)

    @property
    def is_over(self) -> bool:
        return not self._timer.isActive()

    def begin(self, answer: object) -> None:
        """Rest for as long as this answer asks."""
        if self._bridge.state == "learning":
            seconds = min(max(seconds_of(answer) / SHARE, LEAST_S), LONGEST_S)
            self._timer.start(round(1000 * seconds))

    def _take_state(self, change: StateChanged) -> None:
        if change.state != "learning" and not self.is_over:
            self._timer.stop()
            self.over.emit()
