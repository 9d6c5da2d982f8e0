"""When panels are drawn: only what is visible and dirty, at a rate that follows what drawing costs."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer, Signal

from core.events import Event, StateChanged
from gui.bridge import EngineBridge
from gui.panel import Panel
from gui.playhead import Playhead
from gui.sentences.selection import Selection
from gui.theme import Theme
from gui.workbench import Workbench

SHARE = 0.04  # of the time that watching may cost while the engine learns: under 5 % also where a rest ends early
SHARE_AT_REST = 0.5  # while it does not
FASTEST_S = 1 / 15
LONGEST_S = 5.0  # whatever was drawn or asked: a picture that is older looks like one that is broken
SLOWEST_S = 1.0  # where nothing is to be fast: at a slow pace, and while nothing learns
LATELY_S = LONGEST_S  # over which the cost is told; with less, a rest that is cut short could count as less than none
BREATH_S = 0.001  # between two pieces of a round: the first is painted, and clicks are served, before the second


class Redraws(QObject):
    """Draws the panels, a piece in each pass of the event loop: a round of them in turn, then a rest that pays for it.

    `watching` is the share of the time that this has lately cost: the GUI thread's own processor time (painting, which
    Qt does later, counts as well), what runs beside it, and what the engine took to answer the panels that ask.
    """

    round_ended = Signal()  # whoever does a little work now has the next rest pay for it

    def __init__(
        self, bridge: EngineBridge, workbench: Workbench, playhead: Playhead, selection: Selection, theme: Theme
    ) -> None:
        super().__init__()
        self._bridge = bridge
        self._workbench = workbench
        self._playhead = playhead
        self._was_live = playhead.is_live
        self._panels: list[Panel] = []
        self._round: Iterator[Panel] = iter(())  # panels whose turn is still to come
        self._pieces: Iterator[None] = iter(())  # what is left to be drawn of the panel whose turn it is
        self._is_awaited = False  # another round, by somebody who asked while this one was under way
        self._count_anew()
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._tick)
        self._timer.start(round(FASTEST_S * 1000))
        bridge.drained.connect(self._take)
        bridge.shown_changed.connect(self.mark_all)
        bridge.state_changed.connect(self._take_state)
        playhead.moved.connect(self._follow)
        selection.changed.connect(self.mark_all)
        theme.changed.connect(self.mark_all)

    def add(self, *panels: Panel) -> None:
        """Draw these from now on."""
        self._panels.extend(panels)
        for panel in panels:
            panel.marked.connect(self.draw_soon)

    def mark_all(self) -> None:
        """Everything visible is drawn anew, and at once: somebody asked for another picture and waits for it."""
        self.mark_all_in_turn()
        self.draw_soon()

    def mark_all_in_turn(self) -> None:
        """Everything visible is drawn anew when its turn comes: something came to be known of what is shown."""
        for panel in self._panels:
            panel.mark_in_turn()

    def draw_soon(self) -> None:
        """End the rest, or have none after this round: what is dirty and visible now is drawn in a moment."""
        if self._timer.remainingTime() > 1000 * BREATH_S:
            self._timer.start(round(1000 * BREATH_S))
        else:
            self._is_awaited = True  # by a panel whose turn may have passed

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

    def draw_all_of(self, panel: Panel) -> None:
        """Draw one panel from beginning to end, and lay it out, now: for whoever takes its picture."""
        for _ in panel.pieces(self._bridge.shown, self._playhead.step):
            pass
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)

    def stop(self) -> None:
        """Draw no more."""
        self._timer.stop()

    def _take(self, events: list[Event]) -> None:
        kinds = {type(event) for event in events}
        for panel in self._panels:
            if not panel.is_dirty and any(issubclass(kind, panel.redraw_on) for kind in kinds):
                panel.mark_in_turn()

    def _follow(self, step: int) -> None:
        """Draw another step. While the view stays live, what arrived with the step already says what to draw."""
        if not (self._was_live and self._playhead.is_live):
            self.mark_all()
        self._was_live = self._playhead.is_live

    def _take_state(self, change: StateChanged) -> None:
        if change.state == "learning":  # what was drawn before cost it nothing
            self._count_anew()
        else:  # what it came to is there to be seen, and nothing is left to be spared
            self.draw_soon()

    def _tick(self) -> None:
        rest = BREATH_S
        try:
            if not self.draw():
                self.round_ended.emit()
                if not self._is_awaited:  # else the rest after the next round pays for this one too
                    rest = self._pause()
                self._is_awaited = False
        finally:  # a panel that fails must not end the drawing of all the others
            self._timer.start(round(1000 * rest))

    def _count_anew(self) -> None:
        self._wall, self._paid, self._rest = time.perf_counter(), self._cost_so_far(), 0.0
        self._lately_passed = self._lately_paid = 0.0  # seconds, the older the less
        self.watching = 0.0

    def _pause(self) -> float:
        """Seconds until the next drawing, so that what the last one cost stays within its share of the time."""
        wall, paid = time.perf_counter(), self._cost_so_far()
        cost, passed = paid - self._paid, wall - self._wall
        is_learning, is_paced = self._bridge.state == "learning", self._workbench.pace is not None
        rest = rest_after(cost, is_learning=is_learning, is_paced=is_paced)
        kept = math.exp(-passed / LATELY_S)
        self._lately_passed = kept * self._lately_passed + passed - self._rest + rest  # a round's own rest
        self._lately_paid = kept * self._lately_paid + cost
        self._wall, self._paid, self._rest = wall, paid, rest
        self.watching = self._lately_paid / self._lately_passed
        return rest

    def _cost_so_far(self) -> float:
        return time.thread_time() + self._bridge.aside_s + self._bridge.looked_s


def rest_after(cost: float, *, is_learning: bool, is_paced: bool) -> float:
    """Seconds to rest after what cost so many."""
    rest = max(cost / (SHARE if is_learning else SHARE_AT_REST), FASTEST_S)
    return min(rest, LONGEST_S if is_learning and not is_paced else SLOWEST_S)
