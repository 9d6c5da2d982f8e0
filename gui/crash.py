"""What no code expected: errors of any thread reach the strip and a log; a crash of Python itself leaves a trace."""

from __future__ import annotations

import faulthandler
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from platformdirs import user_log_path

Report = Callable[[BaseException], object]


def log_path() -> Path:
    """The file that crashes are written to."""
    return user_log_path("headlight", ensure_exists=True) / "crash.log"


@contextmanager
def watched(report: Report) -> Iterator[None]:
    """While it lasts, uncaught errors are logged and given to `report`, on whatever thread they happened."""
    before = sys.excepthook, threading.excepthook
    with log_path().open("a", encoding="utf-8", errors="backslashreplace") as log:

        def take(error: BaseException | None) -> None:
            if error is not None:
                log.write(f"{datetime.now().isoformat()}\n{''.join(traceback.format_exception(error))}\n")
                log.flush()
                report(error)

        sys.excepthook = lambda kind, error, trace: take(error)
        threading.excepthook = lambda args: take(args.exc_value)
        faulthandler.enable(log)
        try:
            yield
        finally:
            faulthandler.disable()
            sys.excepthook, threading.excepthook = before
