"""Runs long work beside the GUI thread, one piece at a time, so that other calls get their turn in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Generic, TypeVar

from gui.bridge import EngineBridge

Piece = TypeVar("Piece")


class BackgroundIterator(Generic[Piece]):
    """Consumes an iterator while it is watched; calls `on_piece` in the GUI thread with each piece.

    It runs in the bridge's background thread. `start` drops the work under way; `watch(False)` only pauses it.
    """

    def __init__(self, bridge: EngineBridge, on_piece: Callable[[Piece], object]) -> None:
        self._bridge = bridge
        self._on_piece = on_piece
        self._work: Iterator[Piece] | None = None
        self._is_busy = False  # whether a piece is being made, of this work or of work that was dropped
        self._is_watched = False

    def start(self, work: Iterator[Piece] | None) -> None:
        """Work on this from now on; None stops."""
        self._work = work
        self._request_next()

    def watch(self, is_watched: bool) -> None:
        """Work only while this is True: nobody sees the result otherwise."""
        self._is_watched = is_watched
        self._request_next()

    def _request_next(self) -> None:
        if self._work is not None and self._is_watched and not self._is_busy:
            self._is_busy = True
            work = self._work
            self._bridge.run_in_background(
                partial(next, work, None), partial(self._handle_piece, work), partial(self._handle_error, work)
            )

    def _handle_piece(self, work: Iterator[Piece], piece: Piece | None) -> None:
        self._is_busy = False
        if work is self._work:
            if piece is None:
                self._work = None
            else:
                self._on_piece(piece)
        self._request_next()

    def _handle_error(self, work: Iterator[Piece], error: Exception) -> None:
        self._is_busy = False
        if work is self._work:
            self._work = None
            self._bridge.report(error)
        self._request_next()
