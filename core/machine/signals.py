"""SIGINT, SIGTERM, SIGHUP or SIGBREAK as something to wait for beside the engine's events, instead of an exception.

SIGBREAK is how Windows reports a closed terminal. Where nothing waits for them, each raises what SIGINT alone would.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOP_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)
SAME_SIGNAL_SECONDS = 1.0  # a second signal within this is the same one: a group and its leader both get it
_ending_signals: list[signal.Signals] = []  # the signals by which this process is ending


class Interrupted(Exception):
    """A signal ended the command; the text says what was saved."""

    def __init__(self, number: int, note: str) -> None:
        self.number = number
        super().__init__(note)


def record_ending_signal(number: signal.Signals) -> None:
    """Record that this process is ending by a signal."""
    _ending_signals.append(number)


def ending_signal() -> signal.Signals | None:
    """The first signal by which this process is ending, if one is."""
    return _ending_signals[0] if _ending_signals else None


@contextmanager
def handling_signals(on_signal: Callable[[signal.Signals], None]) -> Iterator[None]:
    """Within the block, pass each stopping signal to `on_signal`, which must be safe to call at any moment.

    Once one was passed, the process is ending by it: later ones, after the block, are ignored, so that none interrupts
    the message that says what was saved.
    """
    received: list[signal.Signals] = []

    def handle(number: int, _: FrameType | None) -> None:
        received.append(signal.Signals(number))
        record_ending_signal(received[-1])
        on_signal(received[-1])

    # nohup and background jobs start with a signal ignored: it stays ignored.
    handled = [one for one in STOP_SIGNALS if signal.getsignal(one) is not signal.SIG_IGN]
    before = {one: signal.signal(one, handle) for one in handled}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, signal.SIG_IGN if received else handler)


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Within the block, each stopping signal raises Interrupted, so that unfinished work is cleaned up.

    Any other error after a signal is one that a library has made of it: pydantic does so while it is imported.
    """
    handled: list[tuple[signal.Signals, float]] = []

    def interrupt(number: signal.Signals) -> None:
        now = time.monotonic()
        if not handled or now - handled[-1][1] > SAME_SIGNAL_SECONDS:
            handled.append((number, now))
            raise KeyboardInterrupt  # not an Exception: libraries catch those and go on

    with handling_signals(interrupt):
        try:
            yield
        except (KeyboardInterrupt, Exception):
            if not handled:
                raise
            number = handled[0][0]
            raise Interrupted(number, f"ended by {number.name}.") from None
