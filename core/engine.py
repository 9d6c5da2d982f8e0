"""The one thread in which torch works, and the only way to it: requests go in, events come out.

All torch work, including its import (except on Windows: see main.py), happens in this thread: one parallel torch
operation in a second thread of the process would halve training speed while that thread lives.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from core.errors import UserError
from core.events import Event, Listener, StateChanged
from core.faults import as_trouble
from core.machine.garbage_collection import gc_frozen_afterwards
from core.machine.resource_errors import as_memory_error
from core.pending import PendingRequest, answer, refuse
from core.plugins_host.host import PluginHost
from core.plugins_host.plugin_info import PluginInfo
from core.requests import Branch, Close, OpenRun, Prepare, Request, Stop

if TYPE_CHECKING:
    from core.serving.request_loop import RequestLoop

Answer = TypeVar("Answer")
INTERRUPTING = (Close, Stop, Prepare, OpenRun, Branch)
"""The requests that end the work under way."""


class Engine:
    """Owns the worker thread. `ask` and `add_listener` may be called from any thread.

    Listeners are called in the worker thread: they append to a buffer and return. One that raises is dropped.
    """

    def __init__(
        self, listeners: Sequence[Listener] = (), *, plugin_dirs: Sequence[Path] = (), cache_dir: Path | None = None
    ) -> None:
        self._listeners = list(listeners)
        self._inbox: queue.SimpleQueue[PendingRequest] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._host = PluginHost(plugin_dirs)
        self._host.warm_up()
        self._is_closed = False
        self._num_interrupting = 0  # interrupting requests that wait to be served
        self._first_request_arrived = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(cache_dir,), name="engine")
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, request: Request[Answer]) -> Future[Answer]:
        """Send a request; the future holds its answer, or the UserError that says why not."""
        future: Future[Answer] = Future()
        with self._lock:  # so that nothing can follow the Close that ends the thread
            if self._is_closed:
                refuse(future, _closed_error())
            else:
                self._is_closed = isinstance(request, Close)
                self._inbox.put((request, future))
                if isinstance(request, INTERRUPTING):
                    self._num_interrupting += 1
                    if self._first_request_arrived.is_set():  # before the first request, nothing is under way
                        self._host.stop_requested.set()
                self._first_request_arrived.set()
        return future

    def plugins(self) -> list[PluginInfo]:
        """All dataset plugins, as the plugin host listed them. Raises PluginError if the listing was interrupted."""
        return self._host.plugins()

    @property
    def is_closed(self) -> bool:
        """Whether it no longer answers: it was closed, or a fault ended it."""
        return self._is_closed

    def add_listener(self, listener: Listener) -> None:
        """Send events to this listener too, from the next one on."""
        self._listeners.append(listener)

    def close(self) -> None:
        """Save what is unsaved, end the thread, and wait for that."""
        self.ask(Close())
        self._thread.join()

    def _emit(self, event: Event) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception as error:  # a listener only watches: its errors must not end the run
                self._listeners.remove(listener)
                self._emit(as_trouble(error))  # to those that are left

    def _run(self, cache_dir: Path | None) -> None:
        try:
            self._run_loop(cache_dir)
        except Exception as error:  # torch cannot be loaded, or the loop failed: nobody may wait for ever
            self._mark_closed()
            self._emit(as_trouble(error))
            self._emit(StateChanged(state="failed", step=0))
            self._refuse_all(error)
        finally:
            self._mark_closed()
            self._refuse_all(_closed_error())
            self._host.close()

    def _refuse_all(self, error: Exception) -> None:
        while not self._inbox.empty():
            refuse(self._inbox.get()[1], error)

    def _mark_closed(self) -> None:
        with self._lock:
            self._is_closed = True

    def _run_loop(self, cache_dir: Path | None) -> None:
        self._first_request_arrived.wait()  # until then the window is built without competition for the interpreter
        with self._lock:
            is_close_alone = self._is_closed and self._inbox.qsize() == 1
        if is_close_alone:  # nothing was asked for, so there is nothing to save
            answer(self._inbox.get()[1], None)
            return
        with gc_frozen_afterwards():
            try:
                from core.serving.request_loop import RequestLoop  # imports torch, so only here
            except (ImportError, OSError) as error:
                raise as_memory_error(error) or error from None

        loop = RequestLoop(self._emit, self._host, cache_dir)
        try:
            while not loop.is_closed:
                self._run_once(loop)
        except Exception as error:
            loop.abort(error)
            raise

    def _run_once(self, loop: RequestLoop) -> None:
        with suppress(queue.Empty):
            seconds = loop.seconds_to_wait()
            request, future = self._inbox.get(timeout=seconds) if seconds else self._inbox.get_nowait()
            try:
                loop.serve(request, future)
            except Exception as error:
                if not future.done():
                    refuse(future, error)
                raise
            self._on_served(request)
            return
        loop.advance()

    def _on_served(self, request: Request[Any]) -> None:
        if isinstance(request, INTERRUPTING):
            with self._lock:
                self._num_interrupting -= 1
                if self._num_interrupting == 0:
                    self._host.stop_requested.clear()


def _closed_error() -> UserError:
    return UserError("The engine is closed; it takes no more requests.", "Start Headlight again.")
