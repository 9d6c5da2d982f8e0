"""Asks the engine one question at a time, and again when the question changes: the model behind a panel that asks."""

from __future__ import annotations

from collections.abc import Hashable
from concurrent.futures import Future
from functools import partial
from typing import Any, Generic, TypeVar

from core.errors import UserError
from core.events import Prepared
from core.requests import Request
from gui.bridge import EngineBridge
from gui.panel import Panel
from gui.sentences.cooldown import Cooldown

Answer = TypeVar("Answer")
QueryKey = tuple[Hashable, Hashable]  # the question, and the moment it is about


class EngineQuery(Generic[Answer]):
    """Holds the newest answer, or why there is none, and has the panel drawn with each.

    A question that the user chose is asked, and its answer drawn, at once. A question repeated only because the model
    has learned further is asked after a cooldown, and its answer drawn in the next round.
    """

    def __init__(self, bridge: EngineBridge, panel: Panel) -> None:
        self.answer: Answer | None = None
        self.error = ""
        self._bridge = bridge
        self._panel = panel
        self._latest_key: QueryKey = None, None
        self._model: Prepared | None = None  # which the newest question was about
        self._pending: Future[Any] | None = None
        self._is_user_waiting = False  # whether the user waits for the answer
        self._cooldown = Cooldown(bridge, panel)
        self._cooldown.ended.connect(panel.mark_for_next_round)
        bridge.prepared.connect(self.reset)  # the answer is about a model that is no longer there

    def submit(self, request: Request[Answer], *, moment: Hashable = None, chosen: Hashable = None) -> None:
        """Ask, unless this is the newest question, or the one before is still unanswered and not cancelled.

        `moment` is the part of a question that changes by itself while the model learns. `chosen` is what the user
        chose, if the request contains more than that.
        """
        if self._bridge.history.prepared is not self._model:  # another model makes it another question
            self._model, self._latest_key = self._bridge.history.prepared, (None, None)
        question = chosen or request
        key = question, moment
        if key == self._latest_key:
            return
        is_another = question != self._latest_key[0]
        self._is_user_waiting |= is_another
        is_free = self._pending is None or self._pending.done()
        if is_free and (self._is_user_waiting or self._cooldown.is_over):
            self._is_user_waiting, self._latest_key = is_another, key
            on_answer, on_error = partial(self._handle_answer, key), partial(self._handle_error, key)
            self._pending = self._bridge.ask(request, on_answer, on_error, self._handle_cancelled)

    def reset(self) -> None:
        """Drop the answer, which no longer fits what is shown, and take the next question as new."""
        self.answer, self.error, self._latest_key = None, "", (None, None)

    def _handle_answer(self, key: QueryKey, answer: Answer) -> None:
        if key == self._latest_key:
            self.answer, self.error = answer, ""
        self._redraw(answer)

    def _handle_error(self, key: QueryKey, error: Exception) -> None:
        if not isinstance(error, UserError):
            self._bridge.report(error)
        elif key == self._latest_key:
            self.answer, self.error = None, str(error)
        self._redraw(error)

    def _handle_cancelled(self) -> None:
        """Something else was asked of the engine, and the model may still be there: have the panel ask again."""
        self._latest_key = None, None
        self._panel.mark_for_next_round()

    def _redraw(self, answer: object) -> None:
        self._cooldown.start(answer)
        if self._is_user_waiting:
            self._panel.mark_dirty()
        else:
            self._panel.mark_for_next_round()
        self._is_user_waiting = False
