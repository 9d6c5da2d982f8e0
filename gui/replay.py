"""Plays a run back: the playhead goes from probe to probe, as the run did."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from gui.playhead import Playhead

INTERVAL_MS = 125  # eight probes a second: an eye can follow


class Replay(QObject):
    """From the viewed step on; from the first where there is nothing after it. At the end the view is live again."""

    changed = Signal()  # it plays, or has stopped

    def __init__(self, playhead: Playhead) -> None:
        super().__init__()
        self.steps: Sequence[int] = ()  # where there is something to look at, ascending
        self._playhead = playhead
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self._advance)

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    def toggle(self) -> None:
        """Play, or stop where it is."""
        if self.is_playing:
            self.stop()
        elif self.steps:
            if self._next() is None:
                self._playhead.view(self.steps[0])
            self._timer.start()
            self.changed.emit()

    def stop(self) -> None:
        """Stop where it is."""
        self._timer.stop()
        self.changed.emit()

    def _advance(self) -> None:
        step = self._next()
        if step is None:
            self.stop()
            self._playhead.go_live()
        else:
            self._playhead.view(step)

    def _next(self) -> int | None:
        after = bisect_right(self.steps, self._playhead.step)
        return self.steps[after] if after < len(self.steps) else None
