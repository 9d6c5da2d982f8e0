"""Decides when panels are drawn: only visible, dirty ones, at a rate that depends on what drawing costs."""

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

SHARE = 0.04  # of the time, spent on watching while the engine learns: under 5 % even if a rest is cut short
SHARE_AT_REST = 0.5  # the same while it does not learn
FASTEST_S = 1 / 15  # the shortest rest
LONGEST_S = 5.0  # the longest rest, whatever a round cost: a picture older than that looks broken
SLOWEST_S = 1.0  # the longest rest at a slow pace, and while nothing learns
LATELY_S = LONGEST_S  # time constant of `watching`; if shorter, a rest that is cut short could count as negative time
BREATH_S = 0.001  # between two pieces of a round: the first is painted, and clicks are handled, before the second


class Redraws(QObject):
    """Draws the panels in rounds, one piece per pass of the event loop; a rest after each round pays for it.

    `watching` is the share of recent time that this has cost: the processor time of the GUI thread (Qt's later painting
    included) and of the thread beside it, and what the engine needed to answer the panels' questions.
    """

    round_ended = Signal()  # the following rest also pays for what the slots of this signal do

    def __init__(
        self, bridge: EngineBridge, workbench: Workbench, playhead: Playhead, selection: Selection, theme: Theme
    ) -> None:
        super().__init__()
        self._bridge = bridge
        self._workbench = workbench
        self._playhead = playhead
        self._was_live = playhead.is_live
        self._panels: list[Panel] = []
        self._round: Iterator[Panel] = iter(())  # the panels still to come in this round
        self._pieces: Iterator[None] = iter(())  # the pieces of the current panel still to be drawn
        self._is_awaited = False  # whether another round was asked for during this one
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
        """Draw these panels from now on."""
        self._panels.extend(panels)
        for panel in panels:
            panel.marked.connect(self.draw_soon)

    def mark_all(self) -> None:
        """Redraw everything visible at once: the user asked for another picture and waits for it."""
        self.mark_all_in_turn()
        self.draw_soon()

    def mark_all_in_turn(self) -> None:
        """Redraw everything visible in the next round: more is known about what is shown."""
        for panel in self._panels:
            panel.mark_in_turn()

    def draw_soon(self) -> None:
        """End the rest, or skip the one after this round, so that dirty visible panels are drawn now."""
        if self._timer.remainingTime() > 1000 * BREATH_S:
            self._timer.start(round(1000 * BREATH_S))
        else:
            self._is_awaited = True  # the dirty panel may have had its turn in this round

    def draw(self) -> bool:
        """Draw the next piece of a dirty, visible panel. Returns False at the end of the round."""
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
        """Draw one panel completely and lay it out, now, so that it can be exported."""
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
        """Redraw when the viewed step moves. While it stays live, the events of that step mark the panels instead."""
        if not (self._was_live and self._playhead.is_live):
            self.mark_all()
        self._was_live = self._playhead.is_live

    def _take_state(self, change: StateChanged) -> None:
        if change.state == "learning":  # what was drawn before did not slow training down
            self._count_anew()
        else:  # there is a result to show, and no training to slow down
            self.draw_soon()

    def _tick(self) -> None:
        rest = BREATH_S
        try:
            if not self.draw():
                self.round_ended.emit()
                if not self._is_awaited:  # else the rest after the next round pays for this one too
                    rest = self._pause()
                self._is_awaited = False
        finally:  # a panel that raises must not stop the drawing of the others
            self._timer.start(round(1000 * rest))

    def _count_anew(self) -> None:
        self._wall, self._paid, self._rest = time.perf_counter(), self._cost_so_far(), 0.0
        self._lately_passed = self._lately_paid = 0.0  # seconds, decaying exponentially with age
        self.watching = 0.0

    def _pause(self) -> float:
        """Seconds to rest after this round, so that its cost stays within its share of the time; updates `watching`."""
        wall, paid = time.perf_counter(), self._cost_so_far()
        cost, passed = paid - self._paid, wall - self._wall
        is_learning, is_paced = self._bridge.state == "learning", self._workbench.pace is not None
        rest = rest_after(cost, is_learning=is_learning, is_paced=is_paced)
        kept = math.exp(-passed / LATELY_S)
        self._lately_passed = kept * self._lately_passed + passed - self._rest + rest  # the rest after, not before
        self._lately_paid = kept * self._lately_paid + cost
        self._wall, self._paid, self._rest = wall, paid, rest
        self.watching = self._lately_paid / self._lately_passed
        return rest

    def _cost_so_far(self) -> float:
        return time.thread_time() + self._bridge.background_seconds + self._bridge.query_seconds


def rest_after(cost: float, *, is_learning: bool, is_paced: bool) -> float:
    """Seconds to rest after a round that cost `cost` seconds."""
    rest = max(cost / (SHARE if is_learning else SHARE_AT_REST), FASTEST_S)
    return min(rest, LONGEST_S if is_learning and not is_paced else SLOWEST_S)
