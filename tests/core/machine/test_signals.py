"""Handling stop signals: they are passed on, and without a signal the earlier handlers are restored."""

from __future__ import annotations

import os
import queue
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from core.machine.signals import STOP_SIGNALS, Interrupted, handling_signals, interrupted_by_signals

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="on Windows, os.kill ends the process")


@pytest.fixture(autouse=True)
def handlers() -> Iterator[list[Any]]:
    """The test run's own handlers, restored after each test."""
    before = [signal.getsignal(one) for one in STOP_SIGNALS]
    yield before
    for one, handler in zip(STOP_SIGNALS, before, strict=True):
        signal.signal(one, handler)


def test_each_stop_signal_is_passed_on_and_later_ones_are_ignored() -> None:
    received: queue.SimpleQueue[signal.Signals] = queue.SimpleQueue()
    with handling_signals(received.put):
        for one in STOP_SIGNALS:
            os.kill(os.getpid(), one)
        assert [received.get(timeout=200) for _ in STOP_SIGNALS] == list(STOP_SIGNALS)
    for one in STOP_SIGNALS:
        os.kill(os.getpid(), one)  # would end the test run


def test_without_a_signal_the_earlier_handlers_are_restored(handlers: list[Any]) -> None:
    with handling_signals(lambda _: None):
        assert handlers != [signal.getsignal(one) for one in STOP_SIGNALS]
    assert handlers == [signal.getsignal(one) for one in STOP_SIGNALS]


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with handling_signals(lambda _: pytest.fail("nohup was not respected")):
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_what_a_library_makes_of_a_signal_is_the_signal() -> None:
    with pytest.raises(Interrupted, match=r"ended by SIGINT\."), interrupted_by_signals():
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt as interrupt:
            raise ValueError(repr(interrupt)) from None


def test_an_error_without_a_signal_is_raised_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError), interrupted_by_signals():
        raise ZeroDivisionError
