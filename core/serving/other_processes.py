"""A run that several processes train: moved to them, asked there, and brought back.

It moves through its folder: whoever has the run saves and releases it, and the other side opens it.
"""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from core.errors import UserError
from core.events import Event, RunFinished
from core.faults import as_trouble
from core.processes.worker_group import WorkerGroup, WorkerGroupLost
from core.requests import Learn, OpenRun, Request, Stop
from core.serving.job import Work
from core.serving.session import Session


class OtherProcesses:
    """Has at most one group of worker processes; while it has one, the current run is there, not in the session."""

    def __init__(self, session: Session, plugin_dirs: list[Path]) -> None:
        self.num_processes = 1  # for the next Learn
        self.must_return = False  # the processes cannot go on, so the run is to be opened here
        self._session = session
        self._plugin_dirs = plugin_dirs
        self._workers: WorkerGroup | None = None

    @property
    def has_run(self) -> bool:
        """Whether the processes have the current run."""
        return self._workers is not None

    @property
    def must_move(self) -> bool:
        """Whether the next Learn is for another number of processes than now have the run."""
        return self.num_processes != (self._workers.num_processes if self._workers is not None else 1)

    def handles(self, request: Request[Any]) -> bool:
        """Whether this request goes to the processes."""
        return self.has_run and not (isinstance(request, Learn) and self.must_move)

    def ask(self, request: Request[Any], future: Future[Any]) -> None:
        """Send a request to the first of the processes."""
        assert self._workers is not None
        self._workers.ask(request, future)

    def poll(self, seconds: float) -> Event | None:
        """Wait at most so long for an event; answers go to whoever asked."""
        assert self._workers is not None
        try:
            event = self._workers.poll(seconds)
        except WorkerGroupLost:  # reported by `bring_back`
            self.must_return = True
            return None
        lost = self._workers.lost_worker_error() if event is None else None
        # If the first gave up a step, as for lack of memory, the others still wait for its part.
        ended = isinstance(event, RunFinished) and event.reason in ("memory", "fault", "process")
        self.must_return = lost is not None or ended
        return as_trouble(lost) if lost is not None else event

    def move_run(self, pace: float | None) -> Work:
        """Move the run to as many processes as are wanted. If they do not start, it is opened here again, as it was."""
        run = self._workers.run if self._workers is not None else self._session.release_run()
        if self._workers is not None:
            yield from self.stop_workers()
        if self.num_processes == 1:
            yield from self._session.open_run(OpenRun(run=run))
            return
        try:
            yield from self._start_workers(run, pace)
        except Exception:
            yield from self._session.open_run(OpenRun(run=run))
            raise

    def _start_workers(self, run: Path, pace: float | None) -> Work:
        with ExitStack() as stack:
            workers = WorkerGroup(self.num_processes, run, self._plugin_dirs, self._session.cache_dir())
            stack.callback(workers.kill)
            yield from workers.start(pace)
            stack.pop_all()
        self._workers = workers

    def bring_back(self) -> Work:
        """Open the run here, since some of the processes are gone."""
        assert self._workers is not None
        run, self.must_return = self._workers.run, False
        try:
            yield from self.stop_workers()
            yield from self._session.open_run(OpenRun(run=run))
        except UserError as error:  # no request is waiting that could be given the error
            yield as_trouble(error)

    def stop_workers(self) -> Work:
        """Save the run and end its processes. If it cannot be saved, they stay."""
        assert self._workers is not None
        stopped: Future[Any] = Future()
        self._workers.ask(Stop(), stopped)
        try:
            yield from self._workers.events_until(stopped)
            stopped.result()
        except WorkerGroupLost as lost:
            yield as_trouble(lost)
        self.kill_workers()

    def kill_workers(self) -> None:
        """End its processes, saved or not."""
        if self._workers is not None:
            self._workers.kill()
            self._workers = None
