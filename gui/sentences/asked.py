"""One question to the engine at a time, asked again when it is another one: the model behind a panel that asks."""

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
Asking = tuple[Hashable, Hashable]  # what was asked, and the moment it was asked about


class Asked(Generic[Answer]):
    """Holds the newest answer, or why there is none; the panel is drawn with each.

    What somebody asks is asked and drawn at once. What is another question only because the model learned on is asked
    after a rest, and drawn in its turn.
    """

    def __init__(self, bridge: EngineBridge, panel: Panel) -> None:
        self.answer: Answer | None = None
        self.refusal = ""
        self._bridge = bridge
        self._panel = panel
        self._newest: Asking = None, None
        self._under_way: Future[Any] | None = None
        self._is_awaited = False  # somebody asked, and waits
        self._rest = Rest(bridge, panel)
        self._rest.over.connect(panel.mark_in_turn)

    def want(self, request: Request[Answer], *, moment: Hashable = None, chosen: Hashable = None) -> None:
        """Ask, where this is not the newest question and the one before has been answered or was called off.

        `moment` is what becomes another by itself while the model learns. `chosen` is what somebody chose, where the
        request says more than that.
        """
        question = chosen or request, id(self._bridge.history.prepared)  # of another model it is another
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
        """What was asked stands for something else now: its answer is none to that, and the next question is new."""
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
            self._panel.mark_in_turn()
        self._is_awaited = False
