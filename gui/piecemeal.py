"""Runs long work beside the GUI thread, one piece at a time, so that other calls get their turn in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Generic, TypeVar

from gui.bridge import EngineBridge

Piece = TypeVar("Piece")


class Piecemeal(Generic[Piece]):
    """Consumes an iterator while it is watched; calls `take` in the GUI thread with each piece.

    It runs in the bridge's background thread. `begin` drops the work under way; `watch(False)` only pauses it.
    """

    def __init__(self, bridge: EngineBridge, take: Callable[[Piece], object]) -> None:
        self._bridge = bridge
        self._take = take
        self._work: Iterator[Piece] | None = None
        self._is_under_way = False  # whether a piece is being made, of this work or of work that was dropped
        self._is_watched = False

    def begin(self, work: Iterator[Piece] | None) -> None:
        """Work on this from now on; None stops."""
        self._work = work
        self._go_on()

    def watch(self, is_watched: bool) -> None:
        """Work only while this is True: nobody sees the result otherwise."""
        self._is_watched = is_watched
        self._go_on()

    def _go_on(self) -> None:
        if self._work is not None and self._is_watched and not self._is_under_way:
            self._is_under_way = True
            work = self._work
            self._bridge.run_in_background(
                partial(next, work, None), partial(self._receive, work), partial(self._fail, work)
            )

    def _receive(self, work: Iterator[Piece], piece: Piece | None) -> None:
        self._is_under_way = False
        if work is self._work:
            if piece is None:
                self._work = None
            else:
                self._take(piece)
        self._go_on()

    def _fail(self, work: Iterator[Piece], error: Exception) -> None:
        self._is_under_way = False
        if work is self._work:
            self._work = None
            self._bridge.report(error)
        self._go_on()
