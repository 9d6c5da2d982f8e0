"""A run that several processes train: moved to them, asked there, and brought back.

It moves through its folder: whoever has the run saves and releases it, and the other side opens it.
"""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from core.errors import UserError
from core.events import Event, RunFinished
from core.faults import as_trouble
from core.processes.crew import Crew, CrewLost
from core.requests import Learn, OpenRun, Request, Stop
from core.serving.session import Session

Work = Generator[Event | None, None, None]


class OtherProcesses:
    """Has at most one crew of processes. While there is one, it has the current run, and the session has none."""

    def __init__(self, session: Session, plugin_dirs: list[Path]) -> None:
        self.num_processes = 1  # for the next Learn
        self.must_come_home = False  # the processes cannot go on, so the run is to be opened here
        self._session = session
        self._plugin_dirs = plugin_dirs
        self._crew: Crew | None = None

    @property
    def has_run(self) -> bool:
        """Whether the processes have the current run."""
        return self._crew is not None

    @property
    def is_wanted(self) -> bool:
        """Whether the next Learn is for another number of processes than now have the run."""
        return self.num_processes != (self._crew.num_processes if self._crew is not None else 1)

    def answers(self, request: Request[Any]) -> bool:
        """Whether this request goes to the processes."""
        return self.has_run and not (isinstance(request, Learn) and self.is_wanted)

    def ask(self, request: Request[Any], future: Future[Any]) -> None:
        """Send a request to the first of the processes."""
        assert self._crew is not None
        self._crew.ask(request, future)

    def turn(self, seconds: float) -> Event | None:
        """Wait at most so long for an event; answers go to whoever asked."""
        assert self._crew is not None
        try:
            event = self._crew.turn(seconds)
        except CrewLost:  # reported by `come_home`
            self.must_come_home = True
            return None
        missing = self._crew.missing() if event is None else None
        self.must_come_home = missing is not None or (isinstance(event, RunFinished) and event.reason == "process")
        return as_trouble(missing) if missing is not None else event

    def move(self, pace: float | None) -> Work:
        """Move the run to as many processes as are wanted. If they do not start, it is opened here again, as it was."""
        run = self._crew.run if self._crew is not None else self._session.hand_over()
        if self._crew is not None:
            yield from self.leave()
        if self.num_processes == 1:
            yield from self._session.open_run(OpenRun(run=run))
            return
        try:
            yield from self._set_out(run, pace)
        except Exception:
            yield from self._session.open_run(OpenRun(run=run))
            raise

    def _set_out(self, run: Path, pace: float | None) -> Work:
        with ExitStack() as stack:
            crew = Crew(self.num_processes, run, self._plugin_dirs, self._session.cache_dir())
            stack.callback(crew.end)
            yield from crew.set_out(pace)
            stack.pop_all()
        self._crew = crew

    def come_home(self) -> Work:
        """Open the run here, since some of the processes are gone."""
        assert self._crew is not None
        run, self.must_come_home = self._crew.run, False
        try:
            yield from self.leave()
            yield from self._session.open_run(OpenRun(run=run))
        except UserError as error:  # no request is waiting that could be given the error
            yield as_trouble(error)

    def leave(self) -> Work:
        """Save the run and end its processes. If it cannot be saved, they stay."""
        assert self._crew is not None
        stopped: Future[Any] = Future()
        self._crew.ask(Stop(), stopped)
        try:
            yield from self._crew.until(stopped)
            stopped.result()
        except CrewLost as lost:
            yield as_trouble(lost)
        self.end()

    def end(self) -> None:
        """End its processes, saved or not."""
        if self._crew is not None:
            self._crew.end()
            self._crew = None
