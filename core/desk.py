"""What the engine's thread does next: a request that waits, the work under way, or a wait."""

from __future__ import annotations

import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from core.errors import UserError
from core.events import Event, Trouble
from core.requests import (
    AddSentence,
    ChangeSetting,
    Close,
    Evaluate,
    Finish,
    Learn,
    OpenRun,
    Pause,
    Prepare,
    Request,
    SetPace,
    Start,
    Stop,
    Translate,
)
from core.session import Session

Job = Generator[Event | None, None, Any]
Asked = tuple[Request[Any], "Future[Any]"]

_LONG = 3600.0  # nothing to do: wait for a request
_BACKGROUND_SECONDS = 0.3  # between two pieces of background work while steps are taken


class Desk:
    """Serves requests one at a time, and lets one job (preparing, evaluating, finishing) or the learning go on between.

    While a job runs, requests wait that need its result; a Prepare or OpenRun replaces it, Stop and Close end it.
    """

    def __init__(self, emit: Callable[[Event], None], plugin_dirs: Sequence[Path], cache_dir: Path | None) -> None:
        self.is_closed = False
        self._emit = emit
        self._session = Session(emit, plugin_dirs, cache_dir)
        self._waiting: deque[Asked] = deque()
        self._job: tuple[Job, Future[Any]] | None = None
        self._learning: tuple[Job, Future[Any]] | None = None
        self._stop_at: int | None = None
        self._pace: float | None = None
        self._next_step_at = 0.0
        self._next_background_at = 0.0
        self._answers: dict[type[Request[Any]], Callable[[Any], Any]] = {
            Start: self._session.start,
            Translate: self._session.translate,
            AddSentence: self._session.add_sentence,
            ChangeSetting: self._session.change_setting,
        }
        self._jobs: dict[type[Request[Any]], Callable[[Any], Job]] = {
            Prepare: self._session.prepare,
            OpenRun: self._session.open_run,
            Evaluate: self._session.evaluate,
            Finish: self._session.finish,
        }

    # -- requests ----------------------------------------------------------------------------------------------------

    def serve(self, request: Request[Any], future: Future[Any]) -> None:
        """Answer a request, begin what it asks for, or let it wait for the job that runs."""
        match request:
            case SetPace():
                self._pace, self._next_step_at = request.steps_per_second, 0.0
                future.set_result(None)
            case Prepare() | OpenRun():
                self._abandon_job()
                self._leave_off()
                self._begin_job(request, future)
            case Stop():
                self._abandon_job()
                self._leave_off()
                self._answer(lambda _: self._session.stop(), request, future)
            case Close():
                self._close(future)
            case _ if self._job is not None:
                self._waiting.append((request, future))
            case _:
                self._serve_between_jobs(request, future)

    def _serve_between_jobs(self, request: Request[Any], future: Future[Any]) -> None:
        match request:
            case Learn():
                self._learn(request, future)
            case Pause():
                self._leave_off()
                self._answer(lambda _: self._session.pause(), request, future)
            case Finish():
                self._leave_off()
                self._begin_job(request, future)
            case Evaluate():
                self._begin_job(request, future)
            case _:
                self._answer(self._answers[type(request)], request, future)

    def _answer(self, serve: Callable[[Any], Any], request: Request[Any], future: Future[Any]) -> None:
        try:
            future.set_result(serve(request))
        except Exception as error:
            self._fail(error, future)

    def _fail(self, error: Exception, future: Future[Any]) -> None:
        """The one who asked is told; of a fault of ours, whoever watches too."""
        if not isinstance(error, UserError):
            self._session.log(traceback.format_exc())
            self._emit(fault(error))
        if not future.cancelled():
            future.set_exception(error)

    def _close(self, future: Future[Any]) -> None:
        self._abandon_job()
        self._leave_off()
        while self._waiting:
            _, left = self._waiting.popleft()
            left.set_exception(UserError("The engine is closed; nothing more can be asked of it."))
        self._answer(lambda _: self._session.close(), Close(), future)
        self.is_closed = True

    # -- jobs --------------------------------------------------------------------------------------------------------

    def _begin_job(self, request: Request[Any], future: Future[Any]) -> None:
        self._job = self._jobs[type(request)](request), future

    def _abandon_job(self) -> None:
        if self._job is not None:
            job, future = self._job
            self._job = None
            job.close()
            future.cancel()
            self._session.abandoned()

    def _go_on_with_job(self, job: Job, future: Future[Any]) -> None:
        try:
            event = next(job)
        except StopIteration as end:
            self._job = None
            if not future.cancelled():
                future.set_result(end.value)
        except Exception as error:
            self._job = None
            self._session.abandoned()
            self._fail(error, future)
        else:
            if event is not None:
                self._emit(event)
        if self._job is None:
            for request, left in [self._waiting.popleft() for _ in range(len(self._waiting))]:
                self.serve(request, left)

    # -- learning ----------------------------------------------------------------------------------------------------

    def _learn(self, request: Learn, future: Future[Any]) -> None:
        self._leave_off()
        try:
            job = self._session.learn(request.steps)
        except Exception as error:
            self._fail(error, future)
            return
        self._learning = job, future
        self._stop_at = None if request.steps is None else self._session.step + request.steps
        self._next_step_at = 0.0

    def _leave_off(self) -> None:
        """Take no more steps; whoever asked for them is answered."""
        if self._learning is not None:
            job, future = self._learning
            self._learning = None
            job.close()
            if not future.cancelled():
                future.set_result(None)

    def _go_on_learning(self, job: Job, future: Future[Any]) -> None:
        before = self._session.step
        try:
            event = next(job)
            if event is not None:
                self._emit(event)
        except StopIteration:
            self._leave_off()
        except Exception as error:
            self._learning = None
            self._session.failed(error)
            self._fail(error, future)
        else:
            if self._session.step > before:
                self._after_step()

    def _after_step(self) -> None:
        if self._stop_at is not None and self._session.step >= self._stop_at:
            self._leave_off()
            self._session.pause(with_probe=True)
        if self._pace is not None:
            self._next_step_at = max(self._next_step_at, time.monotonic()) + 1.0 / self._pace

    # -- what to do between requests ---------------------------------------------------------------------------------

    def seconds_to_wait(self) -> float:
        """How long to wait for a request before `go_on`: not at all while there is work."""
        if self._job is not None:
            return 0.0
        if self._learning is not None:
            return max(0.0, self._next_step_at - time.monotonic())
        return 0.0 if self._session.background is not None else _LONG

    def go_on(self) -> None:
        """Do one small piece of the work under way."""
        if self._job is not None:
            self._go_on_with_job(*self._job)
            return
        now = time.monotonic()
        if self._session.background is not None and (self._learning is None or now >= self._next_background_at):
            self._next_background_at = now + _BACKGROUND_SECONDS
            self._go_on_in_background(self._session.background)
        if self._learning is not None and now >= self._next_step_at:
            self._go_on_learning(*self._learning)

    def _go_on_in_background(self, work: Job) -> None:
        try:
            event = next(work)
            if event is not None:
                self._emit(event)
        except StopIteration:
            self._session.background = None
        except Exception as error:
            self._session.background = None
            self._emit(error_as_trouble(error))


def error_as_trouble(error: Exception) -> Trouble:
    """What the strip says of an error: a user's own in its words, any other as a fault of ours."""
    if isinstance(error, UserError):
        return Trouble(sentence=error.sentence, advice=error.advice)
    return fault(error)


def fault(error: Exception) -> Trouble:
    """A fault of ours, with its traceback to copy."""
    return Trouble(
        sentence=f"Something went wrong in Headlight itself: {type(error).__name__}: {error}",
        advice="What was saved is safe. Copy the details and report them.",
        details="".join(traceback.format_exception(error)),
    )
