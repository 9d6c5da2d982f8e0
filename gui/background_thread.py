"""The window's second thread, which waits for disks and plugin hosts in place of the GUI thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Answer = TypeVar("Answer")


class BackgroundThread:
    """Runs one function after the other, none of which may use torch."""

    def __init__(self) -> None:
        self.seconds = 0.0  # of processor time used so far, during which the engine lacks the GIL
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="background")

    def submit(self, function: Callable[[], Answer]) -> Future[Answer]:
        """Run a function as soon as those before it have returned."""
        return self._executor.submit(self._run_timed, function)

    def cancel(self) -> None:
        """Run no more functions: one could restart a plugin host that has been closed."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Run no more functions, and wait for the one that is running."""
        self._executor.shutdown(cancel_futures=True)

    def _run_timed(self, function: Callable[[], Answer]) -> Answer:
        began = time.thread_time()
        try:
            return function()
        finally:
            self.seconds += time.thread_time() - began  # only this thread writes it
