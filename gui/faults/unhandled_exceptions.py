"""Sends unhandled exceptions of any thread to the strip, where they can be copied, and to a log file."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cache
from pathlib import Path

from core.events import Trouble
from core.user_dirs import USER_DIRS
from gui.bridge import EngineBridge

REPEAT_S = 5.0  # an error that repeats sooner, such as one in a paint event, is not reported again


def log_path() -> Path:
    """The file for errors and crashes; other files can be written into its folder too."""
    try:
        path = USER_DIRS.user_log_path / "crash.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        is_writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    except OSError:  # a home that cannot be written
        is_writable = False
    return path if is_writable else _temporary_folder() / "crash.log"


def write_to_log(when: datetime, details: str) -> None:
    """Append an entry. Write errors are ignored: on a full disk the error is still shown."""
    with suppress(OSError), log_path().open("a", encoding="utf-8", errors="backslashreplace") as log:
        log.write(f"{when.isoformat()}\n{details}\n")


@cache
def _temporary_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="headlight-"))


@contextmanager
def reporting_exceptions(bridge: EngineBridge) -> Iterator[None]:
    """Within the block, unhandled exceptions of all threads are logged and shown in the strip."""
    before = sys.excepthook, threading.excepthook, sys.unraisablehook
    reporter = _ExceptionReporter(bridge)
    sys.excepthook = lambda kind, error, trace: reporter.report(error)
    threading.excepthook = lambda args: reporter.report(args.exc_value)
    sys.unraisablehook = lambda args: reporter.report(args.exc_value)
    bridge.trouble.connect(reporter.log)
    try:
        yield
    finally:
        bridge.trouble.disconnect(reporter.log)
        sys.excepthook, threading.excepthook, sys.unraisablehook = before


class _ExceptionReporter:
    """Logs an error at once, in the thread that raised it: the GUI thread may not get to it any more."""

    def __init__(self, bridge: EngineBridge) -> None:
        self._bridge = bridge
        self._logged: deque[str] = deque(maxlen=100)  # so that `log` skips them when the bridge emits them
        self._seen_at: dict[object, float] = {}

    def report(self, error: BaseException | None) -> None:
        """Log and show an unhandled exception. Any thread may call this."""
        if error is not None and not self._is_repeated(error):
            self._write("".join(traceback.format_exception(error)))
            self._bridge.report(error)

    def log(self, trouble: Trouble) -> None:
        """Log an error that the strip shows: the engine's own errors arrive only this way."""
        if trouble.details and trouble.details not in self._logged:
            self._write(trouble.details)

    def _is_repeated(self, error: BaseException) -> bool:
        """Whether the same kind of error was raised at the same lines less than `REPEAT_S` ago."""
        lines = tuple((frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__))
        now, before = time.monotonic(), self._seen_at.get((type(error), lines), -REPEAT_S)
        self._seen_at[type(error), lines] = now
        return now - before < REPEAT_S

    def _write(self, details: str) -> None:
        self._logged.append(details)
        write_to_log(datetime.now(), details)
