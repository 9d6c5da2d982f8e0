"""Plays a run back: the playhead goes from probe to probe, as the run did."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from gui.playhead import Playhead

INTERVAL_MS = 125  # eight probes a second: an eye can follow


class Replay(QObject):
    """From the viewed step on; from the first where there is nothing after it. At the end the view is live again.

    To go live, or another run, ends it too.
    """

    changed = Signal()  # it plays, or has stopped

    def __init__(self, playhead: Playhead, read_steps: Callable[[], Sequence[int]]) -> None:
        """`read_steps` gives the steps at which there is something to look at now, ascending."""
        super().__init__()
        self._playhead = playhead
        self._read_steps = read_steps
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self._advance)
        playhead.restarted.connect(self.stop)

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    def toggle(self) -> None:
        """Play, or stop where it is."""
        if self.is_playing:
            self.stop()
        elif self.before(self._playhead.live_step) is not None:  # else there is no past
            if self.after(self._playhead.step) is None:
                self._playhead.view(self._read_steps()[0])
            self._timer.start()
            self.changed.emit()

    def stop(self) -> None:
        """Stop where it is."""
        self._timer.stop()
        self.changed.emit()

    def before(self, step: int) -> int | None:
        """The nearest step to look at before this one; None at the first."""
        steps = self._read_steps()
        place = bisect_left(steps, step)
        return steps[place - 1] if place else None

    def after(self, step: int) -> int | None:
        """The nearest step to look at after this one; None at the last."""
        steps = self._read_steps()
        place = bisect_right(steps, step)
        return steps[place] if place < len(steps) else None

    def _advance(self) -> None:
        step = None if self._playhead.is_live else self.after(self._playhead.step)
        if step is None:
            self.stop()
            self._playhead.go_live()
        else:
            self._playhead.view(step)
