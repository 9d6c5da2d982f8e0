"""Talks to the engine from the main thread: sends requests, shows events meanwhile, and handles signals.

Events, answers and signals all come through one queue, so that the main thread waits in one place, and the engine's
thread never waits for the terminal.
"""

from __future__ import annotations

import os
import queue
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from signal import Signals
from typing import Any, Self, TypeVar

from core.cli.interruptible_output import is_writable
from core.cli.terminal_progress import TerminalProgress
from core.engine import Engine
from core.events import Event, Listener, RunFinished, RunStarted, Trouble
from core.machine.signals import SAME_SIGNAL_SECONDS, Interrupted, handling_signals
from core.requests import Learn, Request, Start, Stop

Answer = TypeVar("Answer")
POLL_SECONDS = 0.5  # how often to check for a signal where it cannot interrupt a lock (Windows)


class EngineClient:
    """An engine to send requests to, with a listener that is called in this thread."""

    def __init__(self, listener: Listener, plugin_dirs: Sequence[Path]) -> None:
        self._listener = listener
        self._inbox: queue.SimpleQueue[Event | Future[Any] | Signals] = queue.SimpleQueue()
        self.signal: Signals | None = None  # the one that asked the process to end
        self._signalled_at = 0.0
        self._has_reported_waiting = False
        self._run: Path | None = None
        self._stack = ExitStack()
        self._plugin_dirs = plugin_dirs

    def __enter__(self) -> Self:
        self._stack.enter_context(handling_signals(self._on_signal))
        self._engine = self._stack.enter_context(Engine([self._inbox.put], plugin_dirs=self._plugin_dirs))
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def ask(self, request: Request[Answer]) -> Answer:
        """Return the answer, or raise the engine's error. Raises Interrupted on a signal: there is nothing to save."""
        future = self._engine.ask(request)
        future.add_done_callback(self._inbox.put)
        while True:
            item = self._next_item()
            if isinstance(item, Future):  # there is only one request at a time
                return future.result()
            if isinstance(item, Signals):
                self.require_no_signal()

    def require_no_signal(self) -> None:
        """Raise Interrupted if a signal asked the process to end; for code that waits for more than the engine."""
        if self.signal is not None:
            raise Interrupted(self.signal, f"ended by {self.signal.name}.")

    def learn(self, start: Start | None = None) -> RunFinished:
        """Let the run, a new one with `start`, go on to its end; a signal makes it save a checkpoint and stop earlier.

        See `signal`. Raises Interrupted if it came before.
        """
        self.require_no_signal()
        if start is not None:  # not by `ask`, from which a signal would leave a new run that nobody names
            self._engine.ask(start).add_done_callback(self._inbox.put)
        learning = self._engine.ask(Learn())
        learning.add_done_callback(self._inbox.put)
        while not isinstance(item := self._next_item(), RunFinished):
            if isinstance(item, Signals):
                self._engine.ask(Stop()).add_done_callback(self._inbox.put)
            elif isinstance(item, Future):
                item.result()  # raises what went wrong
        if item.reason == "fault":
            learning.result()  # raises the fault, which the verb cannot handle
        return item

    def _on_signal(self, number: Signals) -> None:
        """The signal handler, which may run at any point of the main thread. A later second signal ends at once."""
        if self.signal is None:
            self.signal, self._signalled_at = number, time.monotonic()
            self._inbox.put(number)
        elif time.monotonic() - self._signalled_at > SAME_SIGNAL_SECONDS:  # what is on disk is whole
            where = "" if self._run is None else f"; the run is {self._run}"
            with suppress(OSError):  # there may be no reader
                if is_writable(sys.stderr.fileno()):
                    os.write(sys.stderr.fileno(), f"\nheadlight: ended at once by {number.name}{where}\n".encode())
            os._exit(128 + number)

    def _report_waiting(self) -> None:
        """Say once that the signal was received, if nothing has happened for a while, as during a long step."""
        is_late = time.monotonic() - self._signalled_at > SAME_SIGNAL_SECONDS
        if self.signal is not None and is_late and not self._has_reported_waiting:
            self._has_reported_waiting = True
            after = "ends after the current step or answer; another signal ends it at once"
            print(f"\nheadlight: {self.signal.name} was received: this {after}.", file=sys.stderr)

    def _next_item(self) -> Event | Future[Any] | Signals:
        while True:
            try:
                item = self._inbox.get(timeout=POLL_SECONDS)
            except queue.Empty:
                self._report_waiting()
                continue
            if isinstance(item, RunStarted):
                self._run = item.run
            if isinstance(item, Event):
                self._listener(item)
            return item


class TerminalClient(EngineClient):
    """A client for verbs that do not train: notes and warnings are shown on standard error.

    They wait until something was answered, so that a refusal is a single line.
    """

    def __init__(self, plugin_dirs: Sequence[Path]) -> None:
        self._progress = TerminalProgress()
        super().__init__(self._progress, plugin_dirs)

    def __enter__(self) -> Self:
        self._stack.enter_context(closing(self._progress))
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        if error == (None, None, None):
            self.show_pending_notes()
        super().__exit__(*error)

    def show_note(self, note: str) -> None:
        """Show this note too."""
        self._progress(Trouble(sentence=note, is_note=True))

    def show_pending_notes(self) -> None:
        """Show the notes that waited for an answer. Call it when the answer is there."""
        self._progress.show_pending()
