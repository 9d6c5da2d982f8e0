"""SIGINT, SIGTERM, SIGHUP or SIGBREAK as something to wait for beside the engine's events, instead of an exception.

SIGBREAK is how Windows reports a closed terminal. Where nothing waits for them, each raises what SIGINT alone would.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name))
IN_EARNEST_SECONDS = 1.0  # a second signal within this is the same one: a group and its leader both get it
_ending: list[signal.Signals] = []  # the signals by which this process is ending


class Interrupted(Exception):
    """A signal ended the command; the text says what was saved."""

    def __init__(self, number: int, note: str) -> None:
        self.number = number
        super().__init__(note)


def ends_by(number: signal.Signals) -> None:
    """Record that this process is ending by a signal."""
    _ending.append(number)


def ending_by() -> signal.Signals | None:
    """The first signal by which this process is ending, if one is."""
    return _ending[0] if _ending else None


@contextmanager
def signals_to(tell: Callable[[signal.Signals], None]) -> Iterator[None]:
    """Within the block, pass each stopping signal to `tell`, which must be safe to call at any moment.

    Once one was passed, the process is ending by it: later ones, after the block, are ignored, so that none interrupts
    the message that says what was saved.
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
    """Within the block, each stopping signal raises Interrupted, so that unfinished work is cleaned up."""
    heard: list[tuple[signal.Signals, float]] = []

    def break_off(number: signal.Signals) -> None:
        now = time.monotonic()
        if not heard or now - heard[-1][1] > IN_EARNEST_SECONDS:
            heard.append((number, now))
            raise KeyboardInterrupt  # not an Exception: libraries catch those and go on

    with signals_to(break_off):
        try:
            yield
        except KeyboardInterrupt:
            number = heard[0][0]
            raise Interrupted(number, f"ended by {number.name}.") from None
