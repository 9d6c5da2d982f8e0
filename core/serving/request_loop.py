"""Decides what the engine's thread does next: serve a waiting request, go on with the work under way, or wait."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from core.errors import UserError
from core.events import Event
from core.pending import PendingRequest, answer, refuse
from core.plugin_check.check_plugin import check_plugin
from core.plugins_host.host import PluginHost
from core.requests import (
    AddSentence,
    Branch,
    ChangeSetting,
    CheckPlugin,
    Close,
    DissectHead,
    Evaluate,
    FindUnreadable,
    Finish,
    Learn,
    LeaveOutHeads,
    LocateData,
    MakeMasks,
    MoveRun,
    OpenRun,
    Pause,
    Prepare,
    ReloadPlugins,
    Request,
    SearchBeam,
    SetPace,
    SetProcesses,
    Start,
    Stop,
    Translate,
)
from core.serving.job import Job, Work
from core.serving.learning import Learning
from core.serving.other_processes import OtherProcesses
from core.serving.session import Session
from core.torchrun import max_processes

_IDLE_SECONDS = 3600.0  # nothing to do: wait for a request
_BACKGROUND_SECONDS = 0.3  # between two pieces of background work while steps are taken
_POLL_SECONDS = 0.02  # to other processes, before the next look for requests


class RequestLoop:
    """Serves requests one at a time, and between them goes on with one job (preparing, evaluating, finishing) or
    training.

    While a job runs, requests wait for its end. Prepare, OpenRun and Branch replace the job, Stop and Close end it, and
    all of these cancel the requests that wait; one that is refused at its first check leaves training alone. A question
    to the model is answered at once if there is a model. Learn is answered when the training it began has ended:
    paused, its steps taken, or the run finished. While several processes have the run, requests about it are passed to
    them.
    """

    def __init__(self, emit: Callable[[Event], None], host: PluginHost, cache_dir: Path | None) -> None:
        self.is_closed = False
        self._emit = emit
        self._host = host
        self._session = Session(emit, host, cache_dir)
        self._processes = OtherProcesses(self._session, host.extra_dirs)
        self._waiting: deque[PendingRequest] = deque()
        self._job: Job | None = None
        self._learning = Learning(self._session, emit)
        self._check: Job | None = None  # of a plugin; goes on beside everything else
        self._next_background_at = 0.0
        self._handlers = _handlers(self._session)
        self._jobs: dict[type[Request[Any]], Callable[[Any], Work]] = {
            Prepare: lambda request: self._run_here(self._session.prepare(request)),
            OpenRun: lambda request: self._run_here(self._session.open_run(request)),
            Branch: lambda request: self._run_here(self._session.branch(request)),
            Evaluate: self._session.evaluate,
            Finish: self._session.finish,
        }

    # -- requests ----------------------------------------------------------------------------------------------------

    def serve(self, request: Request[Any], future: Future[Any]) -> None:
        """Answer a request, begin what it asks for, or let it wait for the running job."""
        if future.cancelled():
            return
        if impossible := [path for path in vars(request).values() if isinstance(path, Path) and "\0" in str(path)]:
            refuse(future, UserError(f"Nothing can be named {str(impossible[0])!r}: it has a NUL byte in it."))
            return
        match request:
            case SetPace() | SetProcesses() | ReloadPlugins():
                self._serve_control(request, future)
            case CheckPlugin():
                self._cancel_check()
                self._check = Job(check_plugin(request, self._host), future)
            case Prepare() | OpenRun() | Branch():
                self._cancel_job()
                self._cancel_waiting()  # they were about what is given up now
                self._begin_job(request, future)
            case Stop():
                self._cancel_job()
                self._learning.end()
                self._cancel_waiting()
                self._answer_where_run_is(lambda _: self._session.stop(), request, future)
            case Close():
                self._close(future)
            case Translate() | SearchBeam() | DissectHead() | LeaveOutHeads() | MakeMasks() if self._session.has_model:
                self._answer(self._handlers[type(request)], request, future)
            case _ if self._job is not None:
                self._waiting.append((request, future))
            case _:
                self._serve_between_jobs(request, future)

    def _serve_control(self, request: SetPace | SetProcesses | ReloadPlugins, future: Future[Any]) -> None:
        try:
            self._apply_control(request)
        except UserError as error:
            refuse(future, error)
            return
        if isinstance(request, SetProcesses):  # for us alone: the first process would start others of its own
            answer(future, None)
        else:
            self._answer_where_run_is(lambda _: None, request, future)

    def _apply_control(self, request: SetPace | SetProcesses | ReloadPlugins) -> None:
        match request:
            case SetPace(steps_per_second=pace):
                self._learning.set_pace(pace)
            case SetProcesses(num_processes=number):
                if not 1 <= number <= max_processes():
                    expected = f"expected 1 to {max_processes()} processes on this machine"
                    raise UserError(f"SetProcesses: {expected}, given {number:,}.")
                self._processes.num_processes = number
            case ReloadPlugins():
                self._session.reload_plugins()

    def _serve_between_jobs(self, request: Request[Any], future: Future[Any]) -> None:
        if self._processes.handles(request):
            self._processes.ask(request, future)
            return
        if isinstance(request, Learn | MoveRun | Pause | Finish):
            self._learning.end()
        if isinstance(request, Learn):
            self._learn(request, future)
        elif type(request) in self._jobs:
            self._begin_job(request, future)
        else:
            self._answer(self._handlers[type(request)], request, future)

    def _cancel_waiting(self) -> None:
        while self._waiting:
            self._waiting.popleft()[1].cancel()

    def _serve_waiting(self) -> None:
        for request, future in [self._waiting.popleft() for _ in range(len(self._waiting))]:
            self.serve(request, future)

    def _answer(self, serve: Callable[[Any], Any], request: Request[Any], future: Future[Any]) -> None:
        try:
            result = serve(request)
        except Exception as error:
            refuse(future, self._session.report(error))
        else:
            answer(future, result)

    def _answer_where_run_is(self, serve: Callable[[Any], Any], request: Request[Any], future: Future[Any]) -> None:
        """Answer where the run is: here by `serve`, or in the other processes."""
        if self._processes.has_run:
            self._processes.ask(request, future)
        else:
            self._answer(serve, request, future)

    def abort(self, error: Exception) -> None:
        """After an uncaught error: save what can be saved, and answer every request, so that nobody waits for ever."""
        under_way = [job for job in (self._job, self._learning.job, self._check) if job is not None]
        attempts: list[Callable[[], None]] = [job.work.close for job in under_way]
        attempts += [self._processes.kill_workers, lambda: self._session.abort(error)]
        for attempt in attempts:
            with contextlib.suppress(Exception):  # the same error may happen here again
                attempt()
        for _, future in (*under_way, *self._waiting):
            refuse(future, error)

    def _close(self, future: Future[Any]) -> None:
        self._cancel_check()
        self._cancel_job()
        self._learning.end()
        self._cancel_waiting()
        self.is_closed = True
        self._answer(lambda _: self._save_and_close(), Close(), future)

    def _save_and_close(self) -> None:
        try:
            for event in self._processes.stop_workers() if self._processes.has_run else ():
                self._emit_event(event)
        finally:
            self._processes.kill_workers()
            self._session.close()

    def _emit_event(self, event: Event | None) -> None:
        if event is not None:
            self._emit(event)

    # -- jobs --------------------------------------------------------------------------------------------------------

    def _begin_job(self, request: Request[Any], future: Future[Any]) -> None:
        self._job = Job(self._jobs[type(request)](request), future)

    def _run_here(self, work: Work) -> Work:
        """Do work in this process: its first check, which may refuse it; leave the current run; then do the rest."""
        with contextlib.closing(work):
            yield next(work)
            self._learning.end()
            if self._processes.has_run:
                yield from self._processes.stop_workers()
            return (yield from work)

    def _cancel_job(self) -> None:
        if self._job is not None:
            job, self._job = self._job, None
            job.cancel(self._session.report)
            self._discard_preparation()

    def _discard_preparation(self) -> None:
        if not self._processes.has_run:  # otherwise nothing was begun here
            self._session.discard_preparation()

    def _advance_job(self, job: Job) -> None:
        self._job = None  # answering it may begin the next one
        if job.advance(self._emit, self._report_failed_job):
            self._job = job
        if self._job is None:
            self._serve_waiting()

    def _report_failed_job(self, error: Exception) -> Exception:
        self._discard_preparation()
        if self._learning.job is not None:  # it was not left for the job, and goes on
            return self._session.report(error)
        return self._session.pause_after_failure(error)

    # -- a plugin's check --------------------------------------------------------------------------------------------

    def _cancel_check(self) -> None:
        if self._check is not None:
            check, self._check = self._check, None
            check.cancel(self._session.report)

    def _advance_check(self, check: Job) -> None:
        if check.future.cancelled():
            self._cancel_check()
        elif not check.advance(self._emit, self._session.report):
            self._check = None

    # -- learning ----------------------------------------------------------------------------------------------------

    def _learn(self, request: Learn, future: Future[Any]) -> None:
        if self._processes.must_move and not self._session.has_diverged:
            self._move_to_processes(request, future)
        else:
            self._learning.begin(request, future)

    def _move_to_processes(self, request: Learn, future: Future[Any]) -> None:
        """Move the run to as many processes as are wanted, and then train."""

        def learn(moved: Future[Any]) -> None:
            if moved.cancelled():
                future.cancel()
            elif (error := moved.exception()) is None:
                self.serve(request, future)
            else:
                refuse(future, error)

        moved: Future[Any] = Future()
        moved.add_done_callback(learn)
        self._job = Job(self._processes.move_run(self._learning.pace), moved)

    # -- what to do between requests ---------------------------------------------------------------------------------

    def seconds_to_wait(self) -> float:
        """How long to wait for a request before `advance`: not at all while there is work."""
        if self._job is not None or self._check is not None or self._processes.has_run:
            return 0.0
        if self._session.background is not None:  # there is time for it, even beside training that waits for its pace
            return 0.0
        return min(self._learning.seconds_to_next_step(), _IDLE_SECONDS)  # queues cap timeouts

    def advance(self) -> None:
        """Do one small piece of the work under way."""
        if self._check is not None:
            self._advance_check(self._check)
        if self._job is not None:
            self._advance_job(self._job)
            return
        if self._processes.has_run:
            self._poll_processes()
            return
        if self._session.background is not None and self._has_time_for_background():
            self._next_background_at = time.monotonic() + _BACKGROUND_SECONDS
            self._emit_event(self._session.questions.advance_background())
        if self._learning.seconds_to_next_step() == 0.0:
            self._learning.advance()

    def _has_time_for_background(self) -> bool:
        """Always if no step is due; otherwise now and then."""
        return self._learning.seconds_to_next_step() > 0.0 or time.monotonic() >= self._next_background_at

    def _poll_processes(self) -> None:
        """Pass on the other processes' events; if they cannot go on, take the run back."""
        self._emit_event(self._processes.poll(0.0 if self._check is not None else _POLL_SECONDS))
        if self._processes.must_return:
            self._job = Job(self._processes.bring_back(), Future())


def _handlers(session: Session) -> dict[type[Request[Any]], Callable[[Any], Any]]:
    """What answers each request that is answered at once. The session's run and questions change with each run."""
    return {
        Start: session.start,
        MoveRun: session.move_run,
        Pause: lambda _: session.pause(),
        Translate: lambda request: session.questions.translate(request),
        FindUnreadable: lambda request: session.questions.find_unreadable(request),
        DissectHead: lambda request: session.questions.dissect_head(request),
        LeaveOutHeads: lambda request: session.questions.leave_out_heads(request),
        SearchBeam: lambda request: session.questions.search_beam(request),
        MakeMasks: lambda request: session.questions.make_masks(request),
        AddSentence: lambda request: session.questions.add_sentence(request),
        ChangeSetting: lambda request: session.run.change_setting(request.key, request.value),
        LocateData: lambda _: session.run.trainer.data.folder,
    }
