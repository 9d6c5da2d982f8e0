"""Lets torch's threads give their cores away while they wait, as long as other programs need these.

Several threads share a product of matrices, and the one that is done waits for the others. libgomp, which torch brings
on Linux, lets it spin for some milliseconds, which is fastest on an idle machine. If another program needs a core, the
thread waited for may be the one without, and the spinning one holds the core that it could have. libgomp gives a core
away after some microseconds only while it manages more threads than there are processors (gomp_managed_threads in its
config/linux/wait.h): a second pool of threads that never does anything is enough, and ends that when it goes.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import torch

from core.at_path import exists

POOL_NAME = "idle OpenMP pool"
_SCHEDSTAT = Path("/proc/thread-self/schedstat")
"""What Linux tells of the calling thread: the nanoseconds it ran, and those it was ready to run and had no core."""
_LOOK_SECONDS = 1.0
_BUSY_SHARE = 0.05
"""Beside a program that never rests, a thread is without a core for a third of its time; on an idle machine, 0.2 %."""
_GRAIN_SIZE = 32_768
"""How many elements torch gives a thread at least."""


class CoreSharing:
    """Looks, in the thread that takes the steps, whether it has to wait for a core, and lets waiting threads act on it.

    Changes no result. Does nothing if torch has one thread here, and where the system does not tell.
    """

    def __init__(self) -> None:
        self._idle_pool: _IdlePool | None = None
        self._looked_at = self._seconds_without_core = 0.0

    @property
    def is_on(self) -> bool:
        """Whether threads that wait give their cores away."""
        return self._idle_pool is not None

    def look(self) -> None:
        """Look again if the last time was a second ago. Call it after each step."""
        now = time.perf_counter()
        seconds = now - self._looked_at
        if seconds < _LOOK_SECONDS:
            return
        self._looked_at = now
        if torch.get_num_threads() > 1 and exists(_SCHEDSTAT):
            self._decide(seconds)

    def _decide(self, seconds: float) -> None:
        """Decide by the time without a core in the last `seconds`."""
        before, self._seconds_without_core = self._seconds_without_core, _seconds_without_core()
        is_needed = self._seconds_without_core - before > _BUSY_SHARE * seconds
        if is_needed and not self.is_on:
            self._idle_pool = _IdlePool()
        elif not is_needed:
            self.end()

    def end(self) -> None:
        """Let waiting threads keep their cores, as they do at first."""
        if self._idle_pool is not None:
            self._idle_pool.end()
            self._idle_pool = None


def _seconds_without_core() -> float:
    return int(_SCHEDSTAT.read_text(encoding="ascii").split()[1]) / 1e9


class _IdlePool:
    """As many threads as make torch's more than the processors; they wait until they are ended.

    No torch operation may run elsewhere while it is made.
    """

    def __init__(self) -> None:
        self._is_ended = threading.Event()
        is_started = threading.Event()
        num_threads = (os.cpu_count() or 1) - torch.get_num_threads() + 2  # libgomp does not count the first
        arguments = max(2, num_threads), is_started
        self._owner = threading.Thread(target=self._own_a_pool, args=arguments, name=POOL_NAME, daemon=True)
        self._owner.start()
        is_started.wait()

    def _own_a_pool(self, num_threads: int, is_started: threading.Event) -> None:
        try:
            torch.set_num_threads(num_threads)  # this thread's
            torch.ones(num_threads * _GRAIN_SIZE)
        finally:  # also without memory: the thread that takes the steps waits
            is_started.set()
        self._is_ended.wait()  # OpenMP's threads end with the one that started them

    def end(self) -> None:
        self._is_ended.set()
        self._owner.join()
