"""One question to the engine at a time, asked again when it is another one: the model behind a panel that asks."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from functools import partial
from typing import Any, Generic, TypeVar

from core.errors import UserError
from core.requests import Request
from gui.bridge import EngineBridge

Answer = TypeVar("Answer")


class Asked(Generic[Answer]):
    """Holds the newest answer, or why there is none; `changed` is called with each."""

    def __init__(self, bridge: EngineBridge, changed: Callable[[], object]) -> None:
        self.answer: Answer | None = None
        self.refusal = ""
        self._bridge = bridge
        self._changed = changed
        self._key: Hashable = None  # of the newest question
        self._under_way: Future[Any] | None = None

    def want(self, key: Hashable, request: Request[Answer]) -> None:
        """Ask, where this question is not the newest and the one before has been answered or was called off."""
        is_free = self._under_way is None or self._under_way.done()
        if key != self._key and is_free:
            self._key = key
            self._under_way = self._bridge.ask(request, partial(self._take, key), partial(self._refuse, key))

    def _take(self, key: Hashable, answer: Answer) -> None:
        if key == self._key:
            self.answer, self.refusal = answer, ""
        self._changed()

    def _refuse(self, key: Hashable, error: Exception) -> None:
        if not isinstance(error, UserError):
            self._bridge.report(error)
        elif key == self._key:
            self.answer, self.refusal = None, str(error)
        self._changed()
