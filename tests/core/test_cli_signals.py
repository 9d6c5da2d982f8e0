"""Signals are told to whoever waits, and the earlier handlers come back."""

from __future__ import annotations

import os
import queue
import signal
import sys

import pytest

from core.cli_signals import STOPPING, signals_to

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends the process there")


def test_each_stopping_signal_is_told() -> None:
    before = [signal.getsignal(one) for one in STOPPING]
    told: queue.SimpleQueue[signal.Signals] = queue.SimpleQueue()
    with signals_to(told.put):
        for one in STOPPING:
            os.kill(os.getpid(), one)
        assert [told.get(timeout=5) for _ in STOPPING] == list(STOPPING)
    assert [signal.getsignal(one) for one in STOPPING] == before


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with signals_to(lambda _: pytest.fail("nohup was not respected")):
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
