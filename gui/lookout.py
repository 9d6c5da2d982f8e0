"""Looks at the run that is shown for what can be noticed in it, whatever view is open."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal

from gui.bridge import EngineBridge
from gui.playhead import Playhead

LOOKING_S = 0.008  # at once: a run that was opened has much to look at


class Lookout(QObject):
    """Has a short look after each round of drawing, whose rest pays for it as well."""

    changed = Signal()  # something else was noticed of the run, or holds at the viewed step

    def __init__(self, bridge: EngineBridge, playhead: Playhead) -> None:
        super().__init__()
        self._bridge, self._playhead = bridge, playhead
        self._seen: object = None

    def look(self) -> None:
        """Look at what is new, for a moment; what is left waits for the next round."""
        history = self._bridge.shown
        end = time.perf_counter() + LOOKING_S
        for _ in history.noticing.look(history):
            if time.perf_counter() > end:
                break
        seen = history.folder, history.noticing.all(), history.noticing.at(self._playhead.step)
        if seen != self._seen:
            self._seen = seen
            self.changed.emit()
