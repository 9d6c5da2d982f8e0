"""Asks the engine one question at a time, and again when the question changes: the model behind a panel that asks."""

from __future__ import annotations

from collections.abc import Hashable
from concurrent.futures import Future
from functools import partial
from typing import Any, Generic, TypeVar

from core.errors import UserError
from core.requests import Request
from gui.bridge import EngineBridge
from gui.panel import Panel
from gui.sentences.rest import Rest

Answer = TypeVar("Answer")
Asking = tuple[Hashable, Hashable]  # the question, and the moment it is about


class Asked(Generic[Answer]):
    """Holds the newest answer, or why there is none, and has the panel drawn with each.

    A question that the user chose is asked, and its answer drawn, at once. A question repeated only because the model
    has learned further is asked after a rest, and its answer drawn in the next round.
    """

    def __init__(self, bridge: EngineBridge, panel: Panel) -> None:
        self.answer: Answer | None = None
        self.refusal = ""
        self._bridge = bridge
        self._panel = panel
        self._newest: Asking = None, None
        self._under_way: Future[Any] | None = None
        self._is_awaited = False  # whether the user waits for the answer
        self._rest = Rest(bridge, panel)
        self._rest.over.connect(panel.mark_for_next_round)

    def want(self, request: Request[Answer], *, moment: Hashable = None, chosen: Hashable = None) -> None:
        """Ask, unless this is the newest question, or the one before is still unanswered and not cancelled.

        `moment` is the part of a question that changes by itself while the model learns. `chosen` is what the user
        chose, if the request contains more than that.
        """
        question = chosen or request, id(self._bridge.history.prepared)  # another model makes it another question
        if (question, moment) == self._newest:
            return
        is_another = question != self._newest[0]
        self._is_awaited |= is_another
        is_free = self._under_way is None or self._under_way.done()
        if is_free and (self._is_awaited or self._rest.is_over):
            self._is_awaited, self._newest = is_another, (question, moment)
            take, refuse = partial(self._take, self._newest), partial(self._refuse, self._newest)
            self._under_way = self._bridge.ask(request, take, refuse)

    def forget(self) -> None:
        """Drop the answer, which no longer fits what is shown, and take the next question as new."""
        self.answer, self.refusal, self._newest = None, "", (None, None)

    def _take(self, asking: Asking, answer: Answer) -> None:
        if asking == self._newest:
            self.answer, self.refusal = answer, ""
        self._show(answer)

    def _refuse(self, asking: Asking, error: Exception) -> None:
        if not isinstance(error, UserError):
            self._bridge.report(error)
        elif asking == self._newest:
            self.answer, self.refusal = None, str(error)
        self._show(error)

    def _show(self, answer: object) -> None:
        self._rest.begin(answer)
        if self._is_awaited:
            self._panel.mark_dirty()
        else:
            self._panel.mark_for_next_round()
        self._is_awaited = False
