"""The pause between repetitions of a question, asked again while the model learns because its weights changed."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from core.answers.timed import engine_seconds
from core.events import StateChanged
from gui.bridge import EngineBridge

SHARE = 0.015  # of the engine's time that repeating one question may take; no view repeats more than two
LEAST_S = 0.25  # so that the answers can be read
LONGEST_S = 10.0  # however long an answer took: an older one would be mistaken for the model's present output


class Cooldown(QObject):
    """Begins when an answer arrives, and lasts in proportion to its cost; ends at once when learning stops.

    It holds back repetitions only: a question that the user chose is asked during a cooldown too.
    """

    ended = Signal()

    def __init__(self, bridge: EngineBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.ended)
        bridge.state_changed.connect(self._handle_state_changed)

    @property
    def is_over(self) -> bool:
        return not self._timer.isActive()

    def start(self, answer: object) -> None:
        """Start a cooldown that pays for this answer, if the engine is learning."""
        if self._bridge.state == "learning":
            seconds = min(max(engine_seconds(answer) / SHARE, LEAST_S), LONGEST_S)
            self._timer.start(round(1000 * seconds))

    def _handle_state_changed(self, change: StateChanged) -> None:
        if change.state != "learning" and not self.is_over:
            self._timer.stop()
            self.ended.emit()
