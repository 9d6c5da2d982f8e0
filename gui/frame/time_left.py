"""Estimates when a stage will end, from its pace so far."""

from __future__ import annotations

from time import monotonic

from core.events import Progress

_EARLY_SECONDS = 1.0
"""Until then the pace is not known, and a stage that ends so soon needs no estimate."""


class TimeLeft:
    """Follows the progress of one stage after another."""

    def __init__(self) -> None:
        self._stage, self._started, self._first = "", 0.0, 0

    def estimate(self, progress: Progress) -> float | None:
        """Seconds until the stage ends; None without a total, and in its first second."""
        now = monotonic()
        if progress.stage != self._stage:
            self._stage, self._started, self._first = progress.stage, now, progress.done
        seconds, done = now - self._started, progress.done - self._first
        if progress.total is None or seconds < _EARLY_SECONDS or not done:
            return None
        return seconds * (progress.total - progress.done) / done
