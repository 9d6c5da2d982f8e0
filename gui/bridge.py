"""The window's connection to the engine: the only place where events and answers cross into the GUI thread.

The engine's thread appends them to a deque, and reads the history of a run that was opened. A timer in the GUI thread
drains the deque for a bounded time per tick; an answer makes it drain at once.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from core.answers.timed import engine_seconds
from core.engine import Engine
from core.errors import UserError, WorkAborted
from core.events import (
    EngineState,
    Event,
    Prepared,
    Progress,
    RunFinished,
    RunStarted,
    SettingChanged,
    StateChanged,
    Trouble,
)
from core.faults import as_trouble
from core.history import History
from core.requests import Request
from gui.background_thread import BackgroundThread

Answer = TypeVar("Answer")
WindowState = EngineState | Literal["starting"]  # "starting" until the engine reports its first state
OnDone = Callable[[Answer], object]
OnError = Callable[[Exception], object]
OnCancelled = Callable[[], object]

_Callbacks = tuple[OnDone[Any] | None, OnError, OnCancelled | None]
INTERVAL_MS = 50
BUDGET_S = 0.008  # per tick: each pass of the event loop must take well under 33 ms


class EngineBridge(QObject):
    """Passes requests to the engine, and re-emits its events as signals in the GUI thread, oldest first."""

    drained = Signal(list)  # the events of one tick, once `history` has taken them
    run_forgotten = Signal()  # the engine no longer has a run
    shown_changed = Signal()  # another history is shown, or the followed one has grown
    state_changed = Signal(StateChanged)
    setting_changed = Signal(SettingChanged)
    prepared = Signal(Prepared)
    progressed = Signal(Progress)
    run_started = Signal(RunStarted)
    run_finished = Signal(RunFinished)
    trouble = Signal(Trouble)
    message = Signal(str)  # a passing message: what was just done for the user
    run_message = Signal(str)  # a passing message about the current run
    _answer_enqueued = Signal()  # from any thread: drain now, the caller should not wait for the next tick

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self.engine = engine
        self.history = History()  # of the engine's own run
        self.followed: History | None = None  # of a run that another process writes, while it is shown instead
        self.state: WindowState = "starting"
        self.state_step = 0  # the step at which this state began; for an opened run, the step of its weights
        self.query_seconds = 0.0  # seconds of the engine's time spent answering questions about the model
        self.background = BackgroundThread()
        self._inbox: deque[Event | Future[Any] | BaseException] = deque()
        self._callbacks: dict[Future[Any], _Callbacks] = {}  # the only references to the callbacks
        self._opened_histories: deque[History] = deque()  # of opened runs whose Prepared is still in the inbox
        self._signals: dict[type[Event], Any] = {
            StateChanged: self.state_changed,
            SettingChanged: self.setting_changed,
            Prepared: self.prepared,
            Progress: self.progressed,
            RunStarted: self.run_started,
            RunFinished: self.run_finished,
            Trouble: self.trouble,
        }
        engine.add_listener(self._enqueue_event)
        self._answer_enqueued.connect(self.drain, Qt.ConnectionType.QueuedConnection)
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.drain)
        self._timer.start()

    @property
    def shown(self) -> History:
        """The history that panels draw: that of the followed run, or of the engine's own."""
        return self.followed or self.history

    def show(self, history: History | None) -> None:
        """Have the panels draw another process's run, or what is new in it; None goes back to the engine's own run."""
        self.followed = history
        self.shown_changed.emit()

    def forget_run(self) -> None:
        """Stop showing the engine's run: it was left, and no other has taken its place."""
        self.history = History()
        self.run_forgotten.emit()
        self.shown_changed.emit()

    def ask(
        self,
        request: Request[Answer],
        on_done: OnDone[Answer] | None = None,
        on_error: OnError | None = None,
        on_cancelled: OnCancelled | None = None,
    ) -> Future[Answer]:
        """Send the engine a request. The callbacks run in the GUI thread; without `on_error` the strip shows a refusal.

        `on_cancelled` is called if a later request, even a refused one, displaced this one before its turn came.
        """
        return self._track(self.engine.ask(request), on_done, on_error or self.show_refusal, on_cancelled)

    def run_in_background(
        self, function: Callable[[], Answer], on_done: OnDone[Answer] | None = None, on_error: OnError | None = None
    ) -> Future[Answer]:
        """Run a function that waits for a disk or a plugin host (never torch) in the background thread.

        The callbacks run in the GUI thread. Without `on_error` the strip shows an error.
        """
        return self._track(self.background.submit(function), on_done, on_error or self._show_error)

    def show_refusal(self, error: Exception, *, until_prepared: bool = False) -> None:
        """Have the strip show why the engine refused a request: permanently, or until something is prepared again.

        Nothing is shown for `WorkAborted` or for a bug of ours: the engine has already reported both as Trouble.
        """
        if isinstance(error, UserError) and not isinstance(error, WorkAborted):
            trouble = as_trouble(error)
            self.trouble.emit(replace(trouble, until_prepared=until_prepared or trouble.until_prepared))

    def report(self, error: BaseException) -> None:
        """Have the strip show an error. Any thread may call this."""
        self._inbox.append(error)

    def emit_recorded(self, events: Sequence[Event]) -> None:
        """Take recorded events from before this window was opened as if the engine sent them now."""
        for event in events:
            self._handle_event(event)
        self.drained.emit(list(events))

    def drain(self) -> None:
        """Process what has arrived, for at most `BUDGET_S`; the rest waits for the next tick.

        At least one item is always taken, so that a machine that stalls for that long still makes progress.
        """
        events: list[Event] = []
        end = time.perf_counter() + BUDGET_S
        try:
            while self._inbox:
                item = self._inbox.popleft()
                if isinstance(item, Event):
                    self._handle_event(item)
                    events.append(item)
                elif isinstance(item, Future):
                    self._deliver(item, self._callbacks.pop(item))
                else:
                    self._show_error(item)
                if time.perf_counter() >= end:
                    break
        finally:  # a callback that raises must not keep these events from the listeners
            if events:
                self.drained.emit(events)

    def close(self) -> None:
        """Save what is unsaved, end the engine's thread and our own, and wait for both."""
        self._timer.stop()
        self.engine.close()
        self.background.close()
        self._inbox.clear()  # nobody is left to take answers that came meanwhile
        self._callbacks.clear()

    def _enqueue_event(self, event: Event) -> None:
        """Queue an event. Runs in the engine's thread, and reads an opened run there: that can take seconds."""
        if isinstance(event, Prepared) and event.run is not None:
            history = History()
            try:
                history.apply(event)
            except Exception as error:  # the engine drops a listener that raises
                self.report(error)
            self._opened_histories.append(history)
        self._inbox.append(event)

    def _handle_event(self, event: Event) -> None:
        if isinstance(event, Prepared) and event.run is not None:
            self.history = self._opened_histories.popleft()
        else:
            self._record(event)
        if isinstance(event, StateChanged):
            self.state, self.state_step = event.state, event.step
        signal = self._signals.get(type(event))
        if signal is not None:
            signal.emit(event)

    def _record(self, event: Event) -> None:
        """Add an event to the history. An error is shown, not raised, so that the event's signal is still emitted."""
        try:
            self.history.apply(event)
        except UserError as error:  # the folder of a run that has begun is already gone or damaged
            self._show_error(error)

    def _show_error(self, error: BaseException) -> None:
        self.trouble.emit(as_trouble(error))

    def _track(
        self,
        future: Future[Answer],
        on_done: OnDone[Answer] | None,
        on_error: OnError,
        on_cancelled: OnCancelled | None = None,
    ) -> Any:
        """Call the callbacks in this thread once the future is done.

        The other thread never holds them: a widget that only a callback refers to could be destroyed there.
        """
        self._callbacks[future] = on_done, on_error, on_cancelled
        future.add_done_callback(self._enqueue_answer)
        return future

    def _enqueue_answer(self, future: Future[Any]) -> None:
        """Queue a finished future. Runs in the thread that finished it."""
        self._inbox.append(future)
        self._answer_enqueued.emit()

    def _deliver(self, future: Future[Any], callbacks: _Callbacks) -> None:
        on_done, on_error, on_cancelled = callbacks
        if future.cancelled():
            if on_cancelled is not None:
                on_cancelled()
            return
        error = future.exception()
        if error is None:
            self.query_seconds += engine_seconds(future.result())
            if on_done is not None:
                on_done(future.result())
        elif isinstance(error, Exception):
            on_error(error)
        else:
            self._show_error(error)
