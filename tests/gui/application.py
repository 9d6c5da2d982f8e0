"""The whole application in this process: a separate one takes seconds to load all it needs.

Only a test of a process that crashes, or of the command itself, starts one.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from core.engine import Engine
from core.machine.signals import STOP_SIGNALS
from gui import app
from gui.main_window import MainWindow
from tests.gui.conftest import WAIT_MS

ACT_MS = 20
HUNG = -1


def run_application(act: Callable[[MainWindow], object], cache_dir: Path) -> int:
    """Run the application until its window has closed, and call `act` with the window all the time.

    Returns the exit status, or `HUNG`. Handlers of signals are restored: the application leaves them ignored once one
    arrived.
    """

    def poll() -> None:
        for window in windows():
            act(window)

    handlers = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    timer = QTimer(interval=ACT_MS)
    timer.timeout.connect(poll)
    timer.start()
    limit = QTimer(interval=WAIT_MS, singleShot=True)  # pytest's own would only raise in a slot, which Qt survives
    limit.timeout.connect(lambda: QApplication.exit(HUNG))
    limit.start()
    try:
        with pytest.MonkeyPatch.context() as patch, Engine(cache_dir=cache_dir) as engine:
            patch.setattr("gui.faults.native_crash.faulthandler", Mock())  # this process reports crashes to pytest
            patch.setattr("core.machine.signals._ending_signals", [])
            return app.run([], engine)
    finally:
        timer.stop()
        limit.stop()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for window in windows():
            window.deleteLater()


def windows() -> list[MainWindow]:
    """The open windows of this process."""
    return [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow)]
