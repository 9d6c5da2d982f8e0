"""The window's door to the engine: events and answers cross into the GUI thread here and nowhere else.

The engine's thread appends to a deque, and reads a run that was opened. A timer in the GUI thread drains the deque, a
bounded time per tick; an answer has it drained at once.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from core.answers.looked import seconds_of
from core.engine import Engine
from core.errors import BrokenOff, UserError
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

Answer = TypeVar("Answer")
WindowState = EngineState | Literal["starting"]  # until the engine has said anything
OnDone = Callable[[Answer], object]
OnError = Callable[[Exception], object]
OnCancelled = Callable[[], object]

_Asker = tuple[OnDone[Any] | None, OnError, OnCancelled | None]
INTERVAL_MS = 50
BUDGET_S = 0.008  # of one tick: the event loop must come round well within 33 ms


class EngineBridge(QObject):
    """Asks the engine, and repeats its events as signals in the GUI thread, oldest first."""

    drained = Signal(list)  # the events of one tick, after `history` took them
    forgotten = Signal()  # the engine's own run: there is none any more
    shown_changed = Signal()  # another history is drawn, or the followed one has grown
    state_changed = Signal(StateChanged)
    setting_changed = Signal(SettingChanged)
    prepared = Signal(Prepared)
    progressed = Signal(Progress)
    run_started = Signal(RunStarted)
    run_finished = Signal(RunFinished)
    trouble = Signal(Trouble)
    told = Signal(str)  # what was done for a person, who reads it in passing
    told_of_run = Signal(str)  # the same of the run at hand as it stands there
    _answered = Signal()  # in any thread: somebody waits for it, so the next tick would be late

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self.engine = engine
        self.history = History()  # of the engine's own run
        self.followed: History | None = None  # of a run that another process writes, while it is drawn instead
        self.state: WindowState = "starting"
        self.state_step = 0  # at which the engine came into this state: of a run that was opened, that of its weights
        self.looked_s = 0.0  # of the engine's time that answers about the model have taken so far
        self.aside_s = 0.0  # of processor time that what ran beside the GUI thread has taken so far
        self._inbox: deque[Event | Future[Any] | BaseException] = deque()
        self._awaited: dict[Future[Any], _Asker] = {}  # whom to tell, known here alone
        self._opened: deque[History] = deque()  # of the runs whose Prepared is in the inbox
        self._aside = ThreadPoolExecutor(1, thread_name_prefix="aside")
        self._signals: dict[type[Event], Any] = {
            StateChanged: self.state_changed,
            SettingChanged: self.setting_changed,
            Prepared: self.prepared,
            Progress: self.progressed,
            RunStarted: self.run_started,
            RunFinished: self.run_finished,
            Trouble: self.trouble,
        }
        engine.add_listener(self._receive)
        self._answered.connect(self.drain, Qt.ConnectionType.QueuedConnection)
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.drain)
        self._timer.start()

    @property
    def shown(self) -> History:
        """What panels draw: the followed run, or the engine's own."""
        return self.followed or self.history

    def show(self, history: History | None) -> None:
        """Have the panels draw the run of another process, or what is new in it; None: the engine's own again."""
        self.followed = history
        self.shown_changed.emit()

    def forget(self) -> None:
        """Show nothing of the engine's run any more: it was left, and there is none in its place."""
        self.history = History()
        self.forgotten.emit()
        self.shown_changed.emit()

    def ask(
        self,
        request: Request[Answer],
        on_done: OnDone[Answer] | None = None,
        on_error: OnError | None = None,
        on_cancelled: OnCancelled | None = None,
    ) -> Future[Answer]:
        """Ask the engine; the answer comes back into the GUI thread. Without `on_error` the strip shows a refusal.

        Cancelled is what still waited as something else was asked for, which may be refused.
        """
        return self._follow(self.engine.ask(request), on_done, on_error or self.show_refusal, on_cancelled)

    def call(
        self, function: Callable[[], Answer], on_done: OnDone[Answer] | None = None, on_error: OnError | None = None
    ) -> Future[Answer]:
        """Run what waits for a disk or a plugin host (never torch) beside the GUI thread, and answer into it.

        Without `on_error` the strip shows an error.
        """
        return self._follow(self._aside.submit(self._count, function), on_done, on_error or self._show_error)

    def show_refusal(self, error: Exception, *, until_prepared: bool = False) -> None:
        """Have the strip show why the engine did not do what it was asked, for good or until it is prepared anew.

        Of what broke off, and of a fault of ours, the engine has told everybody already.
        """
        if isinstance(error, UserError) and not isinstance(error, BrokenOff):
            trouble = as_trouble(error)
            self.trouble.emit(replace(trouble, until_prepared=until_prepared or trouble.until_prepared))

    def report(self, error: BaseException) -> None:
        """Have the strip show an error. Any thread may call this."""
        self._inbox.append(error)

    def repeat(self, events: Sequence[Event]) -> None:
        """Take events that an engine told before this window was opened, as if ours told them now."""
        for event in events:
            self._take(event)
        self.drained.emit(list(events))

    def drain(self) -> None:
        """Take what has arrived, for at most `BUDGET_S`; what is left waits for the next tick.

        One at any rate: on a machine that stands still for as long, no tick would take any.
        """
        events: list[Event] = []
        end = time.perf_counter() + BUDGET_S
        try:
            while self._inbox:
                item = self._inbox.popleft()
                if isinstance(item, Event):
                    self._take(item)
                    events.append(item)
                elif isinstance(item, Future):
                    self._answer(item, self._awaited.pop(item))
                else:
                    self._show_error(item)
                if time.perf_counter() >= end:
                    break
        finally:  # whoever fails on an answer must not keep these events from the others
            if events:
                self.drained.emit(events)

    def cancel_calls(self) -> None:
        """Begin nothing more beside the GUI thread: a plugin host that is closed would be started again."""
        self._aside.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Save what is unsaved and end the engine's thread and our own; waits for them."""
        self._timer.stop()
        self.engine.close()
        self._aside.shutdown(cancel_futures=True)
        self._inbox.clear()  # what was answered meanwhile finds nobody
        self._awaited.clear()

    def _receive(self, event: Event) -> None:
        """Called in the engine's thread. Reading a long run takes seconds: the window must not stand still for it."""
        if isinstance(event, Prepared) and event.run is not None:
            history = History()
            try:
                history.take(event)
            except Exception as error:  # a listener that raises would be told nothing any more
                self.report(error)
            self._opened.append(history)
        self._inbox.append(event)

    def _take(self, event: Event) -> None:
        if isinstance(event, Prepared) and event.run is not None:
            self.history = self._opened.popleft()
        else:
            self._note(event)
        if isinstance(event, StateChanged):
            self.state, self.state_step = event.state, event.step
        signal = self._signals.get(type(event))
        if signal is not None:
            signal.emit(event)

    def _note(self, event: Event) -> None:
        """In the history, and at any rate go on: who waits for the event is not to miss it."""
        try:
            self.history.take(event)
        except UserError as error:  # the folder of a run that has begun is gone or spoilt by now
            self._show_error(error)

    def _count(self, function: Callable[[], Answer]) -> Answer:
        """In the thread beside, which alone writes the sum: Python there keeps the engine from the interpreter."""
        began = time.thread_time()
        try:
            return function()
        finally:
            self.aside_s += time.thread_time() - began

    def _show_error(self, error: BaseException) -> None:
        self.trouble.emit(as_trouble(error))

    def _follow(
        self,
        future: Future[Answer],
        on_done: OnDone[Answer] | None,
        on_error: OnError,
        on_cancelled: OnCancelled | None = None,
    ) -> Any:
        """Tell them in this thread; the other one never holds them, or a widget that only they know could end there."""
        self._awaited[future] = on_done, on_error, on_cancelled
        future.add_done_callback(self._hand_over)
        return future

    def _hand_over(self, future: Future[Any]) -> None:
        """Called in the thread that answers."""
        self._inbox.append(future)
        self._answered.emit()

    def _answer(self, future: Future[Any], asker: _Asker) -> None:
        on_done, on_error, on_cancelled = asker
        if future.cancelled():
            if on_cancelled is not None:
                on_cancelled()
            return
        error = future.exception()
        if error is None:
            self.looked_s += seconds_of(future.result())
            if on_done is not None:
                on_done(future.result())
        elif isinstance(error, Exception):
            on_error(error)
        else:
            self._show_error(error)
