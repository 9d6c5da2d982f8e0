"""The application as a process: a signal saves the run and ends it without asking."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gui.preferences import load_preferences

ROOT = Path(__file__).parents[2]


WINDOW_ON_FULL_DISK = """
import os, resource, signal, sys
from core.machine.torch_import import stub_out_tracing
stub_out_tracing()
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from core.engine import Engine
from gui import app
from gui.main_window import MainWindow
application, requests = QApplication(sys.argv), []
def poll():
    for window in application.topLevelWidgets():
        if isinstance(window, MainWindow) and window.context.bridge.state == "ready" and not requests:
            requests.append(window.context.workbench.learn(2))
        elif isinstance(window, MainWindow) and window.context.bridge.state == "paused":
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
            timer.stop()
            os.kill(os.getpid(), signal.SIGTERM)
timer = QTimer()
timer.timeout.connect(poll)
timer.start(50)
with Engine() as engine:
    sys.exit(app.run(sys.argv, engine))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX resource limits")
def test_a_signal_on_a_full_disk_ends_the_window_and_says_what_is_kept(home: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", WINDOW_ON_FULL_DISK], cwd=ROOT, capture_output=True, text=True, timeout=200
    )
    assert result.returncode == 3, result.stderr
    assert "headlight: The run cannot be written to " in result.stderr
    assert result.stderr.endswith("Everything up to step 0 is kept.\n")


def test_ctrl_c_in_the_terminal_ends_the_window(home: Path) -> None:
    """All `STOP_SIGNALS` are handled by the same function, which has its own test."""
    log = home / "cache"
    with subprocess.Popen([sys.executable, str(ROOT / "main.py")], stderr=subprocess.PIPE, env=os.environ) as process:
        deadline = time.monotonic() + 100
        while not (log / "headlight" / "prepared").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=200)
    assert process.returncode == 128 + signal.SIGINT
    assert b"Traceback" not in errors
    assert load_preferences(home / "config" / "headlight" / "window.json").has_seen_tour
