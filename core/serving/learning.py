"""The training that a Learn asked for: step by step, no faster than the pace, until as many are taken as it wanted."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from core.errors import UserError
from core.events import Event
from core.pending import answer, refuse
from core.requests import Learn
from core.serving.job import Job, Work
from core.serving.session import Session


class Learning:
    """Trains the session's run while `job` is there. Its Learn is answered when no more steps are taken for it."""

    def __init__(self, session: Session, emit: Callable[[Event], None]) -> None:
        self.job: Job | None = None
        self.pace: float | None = None  # steps a second; None: as many as the machine can take
        self._session = session
        self._emit = emit
        self._stop_at: int | None = None
        self._next_step_at = 0.0

    def set_pace(self, pace: float | None) -> None:
        """Take so many steps a second from now on. Raises UserError for a number that no clock can keep."""
        if pace is not None and not 0.0 < pace <= sys.float_info.max:  # NaN is refused, too
            raise UserError(f"SetPace: expected steps a second above 0, or None, given {pace}.")
        self.pace, self._next_step_at = pace, 0.0

    def seconds_to_next_step(self) -> float:
        """How long until a step is due: infinity if nothing is trained.

        Only steps wait for the pace: what they lead to (a probe, a validation, the end) is shown at once.
        """
        if self.job is None:
            return math.inf
        return 0.0 if self._session.is_anything_due else max(0.0, self._next_step_at - time.monotonic())

    def begin(self, request: Learn, future: Future[Any]) -> None:
        """Begin or continue training; the training before this request has ended."""
        try:
            work = self._session.learn(request.steps)
        except Exception as error:
            refuse(future, self._session.pause_after_failure(error))
            return
        self.job = Job(work, future)
        self._stop_at = None if request.steps is None else self._session.step + request.steps
        self._next_step_at = 0.0

    def advance(self) -> None:
        """Take a step, or do what is due between two."""
        assert self.job is not None
        work, future = self.job
        try:
            self._learn_once(work)
        except StopIteration:
            self.end()
        except Exception as error:
            refuse(future, self._session.pause_after_failure(error))  # so that it can be tried again
            self.job = None

    def _learn_once(self, work: Work) -> None:
        before = self._session.step
        event = next(work)
        if event is not None:
            self._emit(event)
        if self._session.step > before and self.pace is not None:
            self._next_step_at = max(self._next_step_at, time.monotonic()) + 1.0 / self.pace
            self._session.run.flush()  # at a slow pace each step is shown at once
        if self._stop_at is not None and self._session.step >= self._stop_at and not self._session.is_anything_due:
            work.close()
            self._session.pause(with_probe=True)
            self.end()

    def end(self) -> None:
        """Take no more steps, and answer the Learn that asked for them."""
        if self.job is not None:
            job, self.job = self.job, None
            if job.close(self._session.report):
                answer(job.future, None)
