"""What no code expected: the faults of any thread reach the strip, where they can be copied, and a log."""

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

from platformdirs import user_log_path

from core.events import Trouble
from gui.bridge import EngineBridge

QUIET_S = 5.0  # a fault that comes again sooner, such as a painting's, is not told again


def log_path() -> Path:
    """The file that faults and crashes are written to, in a folder that takes other files too."""
    try:
        path = user_log_path("headlight", ensure_exists=True) / "crash.log"
        path.touch()
        is_writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    except OSError:  # a home that cannot be written
        is_writable = False
    return path if is_writable else _temporary_folder() / "crash.log"


def write_to_log(when: datetime, details: str) -> None:
    """Append what happened. A full disk keeps nobody from being told of it."""
    with suppress(OSError), log_path().open("a", encoding="utf-8", errors="backslashreplace") as log:
        log.write(f"{when.isoformat()}\n{details}\n")


@cache
def _temporary_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="headlight-"))


@contextmanager
def watched(bridge: EngineBridge) -> Iterator[None]:
    """While it lasts, faults are logged and shown in the strip, on whatever thread they happened."""
    before = sys.excepthook, threading.excepthook, sys.unraisablehook
    faults = _Faults(bridge)
    sys.excepthook = lambda kind, error, trace: faults.take(error)
    threading.excepthook = lambda args: faults.take(args.exc_value)
    sys.unraisablehook = lambda args: faults.take(args.exc_value)
    bridge.trouble.connect(faults.log)
    try:
        yield
    finally:
        bridge.trouble.disconnect(faults.log)
        sys.excepthook, threading.excepthook, sys.unraisablehook = before


class _Faults:
    """Logs a fault at once, in its own thread: the window may not come to it any more."""

    def __init__(self, bridge: EngineBridge) -> None:
        self._bridge = bridge
        self._logged: deque[str] = deque(maxlen=100)  # they come back from the bridge, to be shown
        self._seen_at: dict[object, float] = {}

    def take(self, error: BaseException | None) -> None:
        """What nobody caught. Any thread may call this."""
        if error is not None and not self._is_repeated(error):
            self._write("".join(traceback.format_exception(error)))
            self._bridge.report(error)

    def log(self, trouble: Trouble) -> None:
        """What the strip shows now: the engine's own faults are told only there."""
        if trouble.details and trouble.details not in self._logged:
            self._write(trouble.details)

    def _is_repeated(self, error: BaseException) -> bool:
        """Whether the same line raised the same a moment ago."""
        lines = tuple((frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__))
        now, before = time.monotonic(), self._seen_at.get((type(error), lines), -QUIET_S)
        self._seen_at[type(error), lines] = now
        return now - before < QUIET_S

    def _write(self, details: str) -> None:
        self._logged.append(details)
        write_to_log(datetime.now(), details)
