"""SIGINT, SIGTERM and SIGHUP as something to wait for beside the engine's events, instead of an exception anywhere."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interrupted(Exception):
    """A signal ended the verb; the text says what was saved."""

    def __init__(self, number: int, note: str) -> None:
        self.number = number
        super().__init__(note)


@contextmanager
def signals_to(tell: Callable[[signal.Signals], None]) -> Iterator[None]:
    """Within the block, hand each stopping signal to `tell`, which must be safe to call at any moment.

    Once one was told the process is ending by it: those that come after the block are ignored, so that none breaks off
    the sentence that says what was saved.
    """
    told: list[int] = []

    def handle(number: int, _: FrameType | None) -> None:
        told.append(number)
        tell(signal.Signals(number))

    # nohup and background jobs start with a signal ignored: it stays ignored.
    heard = [one for one in STOPPING if signal.getsignal(one) is not signal.SIG_IGN]
    before = {one: signal.signal(one, handle) for one in heard}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, signal.SIG_IGN if told else handler)
