"""SIGINT, SIGTERM, SIGHUP or SIGBREAK as something to wait for beside the engine's events, instead of an exception.

The last is what Windows knows of closing a terminal. Where nothing is waited for, each is the exception that SIGINT
alone would be.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name))
IN_EARNEST_SECONDS = 1.0  # a signal again within this is the same wish: a process group and its leader are both told
_ending: list[signal.Signals] = []  # by which this process is ending


class Interrupted(Exception):
    """A signal ended the verb; the text says what was saved."""

    def __init__(self, number: int, note: str) -> None:
        self.number = number
        super().__init__(note)


def ends_by(number: signal.Signals) -> None:
    """Note that this process is ending by a signal."""
    _ending.append(number)


def ending_by() -> signal.Signals | None:
    """The first signal by which this process is ending, if one is."""
    return _ending[0] if _ending else None


@contextmanager
def signals_to(tell: Callable[[signal.Signals], None]) -> Iterator[None]:
    """Within the block, hand each stopping signal to `tell`, which must be safe to call at any moment.

    Once one was told the process is ending by it: those that come after the block are ignored, so that none breaks off
    the sentence that says what was saved.
    """
    told: list[signal.Signals] = []

    def handle(number: int, _: FrameType | None) -> None:
        told.append(signal.Signals(number))
        ends_by(told[-1])
        tell(told[-1])

    # nohup and background jobs start with a signal ignored: it stays ignored.
    heard = [one for one in STOPPING if signal.getsignal(one) is not signal.SIG_IGN]
    before = {one: signal.signal(one, handle) for one in heard}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, signal.SIG_IGN if told else handler)


@contextmanager
def broken_off_by_signals() -> Iterator[None]:
    """Within the block each stopping signal raises Interrupted, so that what is half made is cleared away."""
    heard: list[tuple[signal.Signals, float]] = []

    def break_off(number: signal.Signals) -> None:
        now = time.monotonic()
        if not heard or now - heard[-1][1] > IN_EARNEST_SECONDS:
            heard.append((number, now))
            raise KeyboardInterrupt  # no Exception: libraries catch those, and go on

    with signals_to(break_off):
        try:
            yield
        except KeyboardInterrupt:
            number = heard[0][0]
            raise Interrupted(number, f"ended by {number.name}.") from None
