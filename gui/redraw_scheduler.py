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

LEARNING_SHARE = 0.04  # of the time, spent on watching while the engine learns: under 5 % even if a rest is cut short
IDLE_SHARE = 0.5  # the same while it does not learn
SHORTEST_REST_S = 1 / 15
LONGEST_REST_S = 5.0  # whatever a round cost: a picture older than that looks broken
LONGEST_IDLE_REST_S = 1.0  # at a slow pace, and while nothing learns
AVERAGING_S = LONGEST_REST_S  # time constant of `watching_share`; if shorter, a rest cut short could count as negative
PIECE_GAP_S = 0.001  # between two pieces of a round: the first is painted, and clicks are handled, before the second


class RedrawScheduler(QObject):
    """Draws the panels in rounds, one piece per pass of the event loop; a rest after each round pays for it.

    `watching_share` is the share of recent time that this has cost: the processor time of the GUI thread (Qt's later
    painting included) and of the background thread, and what the engine needed to answer the panels' questions.
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
        self._is_round_requested = False  # whether another round was asked for during this one
        self._reset_cost()
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._tick)
        self._timer.start(round(SHORTEST_REST_S * 1000))
        bridge.drained.connect(self._mark_outdated)
        bridge.shown_changed.connect(self.mark_all)
        bridge.state_changed.connect(self._handle_state)
        playhead.moved.connect(self._follow_playhead)
        selection.changed.connect(self.mark_all)
        theme.changed.connect(self.mark_all)

    def add(self, *panels: Panel) -> None:
        """Draw these panels from now on."""
        self._panels.extend(panels)
        for panel in panels:
            panel.redraw_requested.connect(self.draw_soon)

    def mark_all(self) -> None:
        """Redraw everything visible at once: the user asked for another picture and waits for it."""
        self.mark_all_for_next_round()
        self.draw_soon()

    def mark_all_for_next_round(self) -> None:
        """Redraw everything visible in the next round: more is known about what is shown."""
        for panel in self._panels:
            panel.mark_for_next_round()

    def draw_soon(self) -> None:
        """End the rest, or skip the one after this round, so that dirty visible panels are drawn now."""
        if self._timer.remainingTime() > 1000 * PIECE_GAP_S:
            self._timer.start(round(1000 * PIECE_GAP_S))
        else:
            self._is_round_requested = True  # the dirty panel may have had its turn in this round

    def draw(self) -> bool:
        """Draw the next piece of a dirty, visible panel. Returns False at the end of the round."""
        for _ in self._pieces:
            return True
        for panel in self._round:
            if panel.is_dirty and panel.isVisible():
                panel.is_dirty = False
                self._pieces = panel.draw_in_pieces(self._bridge.shown, self._playhead.step)
                return self.draw()
        self._round = iter(tuple(self._panels))
        return False

    def draw_round(self) -> None:
        """Draw all dirty, visible panels now, without pauses, from the first: none has had its turn."""
        self._round = iter(tuple(self._panels))
        while self.draw():
            pass

    def draw_completely(self, panel: Panel) -> None:
        """Draw one panel completely and lay it out, now, so that it can be exported."""
        for _ in panel.draw_in_pieces(self._bridge.shown, self._playhead.step):
            pass
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)

    def stop(self) -> None:
        """Draw no more."""
        self._timer.stop()

    def _mark_outdated(self, events: list[Event]) -> None:
        kinds = {type(event) for event in events}
        for panel in self._panels:
            if not panel.is_dirty and any(issubclass(kind, panel.redraw_on) for kind in kinds):
                panel.mark_for_next_round()

    def _follow_playhead(self, step: int) -> None:
        """Redraw when the viewed step moves. While it stays live, the events of that step mark the panels instead."""
        if not (self._was_live and self._playhead.is_live):
            self.mark_all()
        self._was_live = self._playhead.is_live

    def _handle_state(self, change: StateChanged) -> None:
        if change.state == "learning":  # what was drawn before did not slow training down
            self._reset_cost()
        else:  # there is a result to show, and no training to slow down
            self.draw_soon()

    def _tick(self) -> None:
        rest = PIECE_GAP_S
        try:
            if not self.draw():
                self.round_ended.emit()
                if not self._is_round_requested:  # else the rest after the next round pays for this one too
                    rest = self._next_rest()
                self._is_round_requested = False
        finally:  # a panel that raises must not stop the drawing of the others
            self._timer.start(round(1000 * rest))

    def _reset_cost(self) -> None:
        self._wall, self._paid, self._rest = time.perf_counter(), self._cost_so_far(), 0.0
        self._recent_seconds = self._recent_cost = 0.0  # seconds, decaying exponentially with age
        self.watching_share = 0.0

    def _next_rest(self) -> float:
        """Seconds to rest after this round, so that its cost stays within its share; updates `watching_share`."""
        wall, paid = time.perf_counter(), self._cost_so_far()
        cost, passed = paid - self._paid, wall - self._wall
        is_learning, is_paced = self._bridge.state == "learning", self._workbench.pace is not None
        rest = rest_after(cost, is_learning=is_learning, is_paced=is_paced)
        kept = math.exp(-passed / AVERAGING_S)
        self._recent_seconds = kept * self._recent_seconds + passed - self._rest + rest  # the rest after, not before
        self._recent_cost = kept * self._recent_cost + cost
        self._wall, self._paid, self._rest = wall, paid, rest
        self.watching_share = self._recent_cost / self._recent_seconds
        return rest

    def _cost_so_far(self) -> float:
        return time.thread_time() + self._bridge.background.seconds + self._bridge.query_seconds


def rest_after(cost: float, *, is_learning: bool, is_paced: bool) -> float:
    """Seconds to rest after a round that cost `cost` seconds."""
    rest = max(cost / (LEARNING_SHARE if is_learning else IDLE_SHARE), SHORTEST_REST_S)
    return min(rest, LONGEST_REST_S if is_learning and not is_paced else LONGEST_IDLE_REST_S)
