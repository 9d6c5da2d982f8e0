"""When a stage will have ended, by the pace it has had."""

from __future__ import annotations

from time import monotonic

from core.events import Progress

_EARLY_SECONDS = 1.0
"""Until then the pace is not known, and what ends so soon needs no promise."""


class TimeLeft:
    """Follows the progress of one stage after the other."""

    def __init__(self) -> None:
        self._stage, self._started, self._first = "", 0.0, 0

    def after(self, progress: Progress) -> float | None:
        """Seconds until the stage ends; None where it says no total, and in its first second."""
        now = monotonic()
        if progress.stage != self._stage:
            self._stage, self._started, self._first = progress.stage, now, progress.done
        seconds, done = now - self._started, progress.done - self._first
        if progress.total is None or seconds < _EARLY_SECONDS or not done:
            return None
        return seconds * (progress.total - progress.done) / done
