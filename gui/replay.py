"""Plays a run: moves the playhead from probe to probe, forwards or back."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from gui.playhead import Playhead

SHORTEST_MS, LONGEST_MS = 125, 500  # per probe: the eye can follow eight a second at most
TOTAL_MS = 5_000  # for all probes, within these limits


class Replay(QObject):
    """Plays from the viewed step, or from the other end of the run if there is nothing left in that direction.

    Playing forwards stops at the newest step and goes live; playing back stops at the first step. Going live or
    showing another run stops it too.
    """

    changed = Signal()  # it started, turned around or stopped, or there has come to be something to play, or nothing

    def __init__(self, playhead: Playhead, read_steps: Callable[[], Sequence[int]]) -> None:
        """`read_steps` returns the steps that can be viewed now, ascending."""
        super().__init__()
        self.is_rewinding = False  # the direction in which it plays, or last played
        self._playhead = playhead
        self._read_steps = read_steps
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._advance)
        self._could_play = False
        playhead.restarted.connect(self.stop)
        playhead.live_moved.connect(self._follow_run)

    @property
    def can_play(self) -> bool:
        """Whether there is a step to view before the newest one."""
        return self.previous_step(self._playhead.live_step) is not None

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    def toggle(self) -> None:
        """Play forwards; stop if already doing so."""
        self._toggle(is_rewinding=False)

    def toggle_rewind(self) -> None:
        """Play back; stop if already doing so."""
        self._toggle(is_rewinding=True)

    def stop(self) -> None:
        """Stop where it is."""
        self._timer.stop()
        self.changed.emit()

    def previous_step(self, step: int) -> int | None:
        """The nearest step to view before this one; None at the first."""
        steps = self._read_steps()
        index = bisect_left(steps, step)
        return steps[index - 1] if index else None

    def next_step(self, step: int) -> int | None:
        """The nearest step to view after this one; None at the last."""
        steps = self._read_steps()
        index = bisect_right(steps, step)
        return steps[index] if index < len(steps) else None

    def _follow_run(self) -> None:
        if self.can_play != self._could_play:
            self._could_play = not self._could_play
            self.changed.emit()

    def _toggle(self, *, is_rewinding: bool) -> None:
        if self.is_playing and self.is_rewinding == is_rewinding:
            self.stop()
        elif self.can_play:
            self.is_rewinding = is_rewinding
            self._playhead.view(self._playhead.step if self._next() is not None else self._other_end())
            self._timer.start(self._interval())
            self.changed.emit()

    def _advance(self) -> None:
        step = None if self._playhead.is_live else self._next()
        if step is not None:
            self._playhead.view(step)
            return
        self.stop()
        if not self.is_rewinding:
            self._playhead.go_live()

    def _interval(self) -> int:
        """How long to show each of the probes that are left now; probes that a run adds while playing do not count."""
        steps, step = self._read_steps(), self._playhead.step
        left = bisect_left(steps, step) if self.is_rewinding else len(steps) - bisect_right(steps, step)
        return min(max(TOTAL_MS // max(left, 1), SHORTEST_MS), LONGEST_MS)

    def _next(self) -> int | None:
        return self.previous_step(self._playhead.step) if self.is_rewinding else self.next_step(self._playhead.step)

    def _other_end(self) -> int:
        return self._playhead.live_step if self.is_rewinding else self._read_steps()[0]
