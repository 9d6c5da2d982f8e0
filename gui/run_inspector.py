"""Checks what is new in the shown run, whatever view is open, for notices and for heads that found the alignment."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal

from gui.bridge import EngineBridge
from gui.playhead import Playhead

BUDGET_S = 0.008  # at a time: a run that was just opened has much that is new


class RunInspector(QObject):
    """Inspects the run briefly after each round of drawing; the rest after that round pays for it too."""

    changed = Signal()  # the notices of the run, or of the viewed step, changed; or all of an opened run was inspected

    def __init__(self, bridge: EngineBridge, playhead: Playhead) -> None:
        super().__init__()
        self._bridge, self._playhead = bridge, playhead
        self._seen: object = None

    def inspect(self) -> None:
        """Inspect what is new for at most `BUDGET_S` (one probe at least); the rest waits for the next round."""
        history = self._bridge.shown
        was_left = bool(history.probes.alignment.unread)
        end = time.perf_counter() + BUDGET_S
        for _ in history.analyse():
            if time.perf_counter() > end:
                break
        noticing, is_known = history.notices, was_left and not history.probes.alignment.unread
        seen = history.folder, noticing.all(), noticing.at(self._playhead.step)
        if seen != self._seen or is_known:
            self._seen = seen
            self.changed.emit()
