"""Long work beside the window's thread, a piece at a time, so that other work comes in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Generic, TypeVar

from gui.bridge import EngineBridge

Piece = TypeVar("Piece")


class Piecemeal(Generic[Piece]):
    """Goes through an iterator while somebody watches; `take` is called in the window's thread with each piece.

    Beginning something else drops what is under way; a pause keeps it.
    """

    def __init__(self, bridge: EngineBridge, take: Callable[[Piece], object]) -> None:
        self._bridge = bridge
        self._take = take
        self._work: Iterator[Piece] | None = None
        self._is_under_way = False  # a piece of it, or of what was dropped
        self._is_watched = False

    def begin(self, work: Iterator[Piece] | None) -> None:
        """Work at this from now on; None: at nothing."""
        self._work = work
        self._go_on()

    def watch(self, is_watched: bool) -> None:
        """Whether anybody looks: where nobody does, it rests."""
        self._is_watched = is_watched
        self._go_on()

    def _go_on(self) -> None:
        if self._work is not None and self._is_watched and not self._is_under_way:
            self._is_under_way = True
            work = self._work
            self._bridge.call(partial(next, work, None), partial(self._receive, work), partial(self._fail, work))

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
