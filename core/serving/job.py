"""Work that somebody asked for: done piece by piece, and answered at its end."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Any, NamedTuple

from core.events import Event
from core.pending import answer, refuse

Work = Generator[Event | None, None, Any]
Report = Callable[[Exception], Exception]
"""Reports an error to listeners, and returns the one for whoever asked for the work."""


class Job(NamedTuple):
    """Work under way, and the future that gets its result."""

    work: Work
    future: Future[Any]

    def advance(self, emit: Callable[[Event], None], report: Report) -> bool:
        """Do a piece of the work, and return whether there is more; at its end, answer whoever asked for it."""
        try:
            event = next(self.work)
        except StopIteration as end:
            answer(self.future, end.value)
        except Exception as error:
            refuse(self.future, report(error))
        else:
            if event is not None:
                emit(event)
            return True
        return False

    def close(self, report: Report) -> bool:
        """End the work half-way; False if tidying up fails, which whoever asked for it is then told."""
        try:
            self.work.close()
        except Exception as error:
            refuse(self.future, report(error))
            return False
        return True

    def cancel(self, report: Report) -> None:
        """End the work half-way, and tell whoever asked for it that there will be no answer."""
        if self.close(report):
            self.future.cancel()
