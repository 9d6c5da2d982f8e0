"""When panels are drawn: only what is visible and dirty, at a rate that follows what drawing costs."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer

from core.events import Event
from gui.bridge import EngineBridge
from gui.panel import Panel
from gui.playhead import Playhead
from gui.sentences.selection import Selection
from gui.theme import Theme

SHARE = 0.05  # of wall time that watching may cost while the engine learns
SHARE_AT_REST = 0.5  # while it does not
FASTEST_S = 1 / 15
SLOWEST_S = 1.0
BREATH_S = 0.001  # between two pieces of a round: the first is painted, and clicks are served, before the second


class Redraws(QObject):
    """Draws the panels, a piece in each pass of the event loop: a round of them in turn, then a rest that pays for it.

    `watching` is the share of wall time the GUI thread has lately been busy. The cost is that thread's own processor
    time: painting, which Qt does later, counts as well.
    """

    def __init__(self, bridge: EngineBridge, playhead: Playhead, selection: Selection, theme: Theme) -> None:
        super().__init__()
        self.watching = 0.0
        self._bridge = bridge
        self._playhead = playhead
        self._was_live = playhead.is_live
        self._panels: list[Panel] = []
        self._round: Iterator[Panel] = iter(())  # panels whose turn is still to come
        self._pieces: Iterator[None] = iter(())  # what is left to be drawn of the panel whose turn it is
        self._wall, self._busy = time.perf_counter(), time.thread_time()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._tick)
        self._timer.start(round(FASTEST_S * 1000))
        bridge.drained.connect(self._take)
        bridge.shown_changed.connect(self.mark_all)
        playhead.moved.connect(self._follow)
        selection.changed.connect(self.mark_all)
        theme.changed.connect(self.mark_all)

    def add(self, *panels: Panel) -> None:
        """Draw these from now on."""
        self._panels.extend(panels)

    def mark_all(self) -> None:
        """Everything visible is drawn anew, and at once: somebody asked for another picture and waits for it."""
        for panel in self._panels:
            panel.mark_dirty()
        self.draw_soon()

    def draw_soon(self) -> None:
        """End the rest: what is dirty and visible now is drawn in the next pass of the event loop."""
        if self._timer.remainingTime() > 1000 * BREATH_S:
            self._timer.start(round(1000 * BREATH_S))

    def draw(self) -> bool:
        """Draw the next piece of what is dirty and visible. False at the end of the round."""
        for _ in self._pieces:
            return True
        for panel in self._round:
            if panel.is_dirty and panel.isVisible():
                panel.is_dirty = False
                self._pieces = panel.pieces(self._bridge.shown, self._playhead.step)
                return self.draw()
        self._round = iter(tuple(self._panels))
        return False

    def stop(self) -> None:
        """Draw no more."""
        self._timer.stop()

    def _take(self, events: list[Event]) -> None:
        kinds = {type(event) for event in events}
        for panel in self._panels:
            if not panel.is_dirty and any(issubclass(kind, panel.redraw_on) for kind in kinds):
                panel.mark_dirty()

    def _follow(self, step: int) -> None:
        """Draw another step. While the view stays live, what arrived with the step already says what to draw."""
        if not (self._was_live and self._playhead.is_live):
            self.mark_all()
        self._was_live = self._playhead.is_live

    def _tick(self) -> None:
        rest = BREATH_S
        try:
            if not self.draw():
                rest = self._pause()
        finally:  # a panel that fails must not end the drawing of all the others
            self._timer.start(round(1000 * rest))

    def _pause(self) -> float:
        """Seconds until the next drawing, so that what the last one cost stays within its share of the time."""
        wall, busy = time.perf_counter(), time.thread_time()
        cost, passed = busy - self._busy, max(wall - self._wall, 1e-6)
        self._wall, self._busy = wall, busy
        self.watching += 0.2 * (min(cost / passed, 1.0) - self.watching)
        share = SHARE if self._bridge.state == "learning" else SHARE_AT_REST
        return min(max(cost / share, FASTEST_S), SLOWEST_S)
