"""The whole application: a signal saves the run and ends it without asking."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from gui.app import UNSAVED
from gui.main_window import MainWindow
from gui.preferences import load_preferences
from tests.full_disk import no_file_beyond
from tests.gui.application import run_application

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX resource limits")
def test_a_signal_on_a_full_disk_ends_the_window_and_says_what_is_kept(
    qapp: QApplication, engines_share_a_host: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[str] = []

    def learn_then_signal(window: MainWindow) -> None:
        state = window.context.bridge.state
        if state == "ready" and not done:
            window.context.workbench.learn(2)
            done.append("learn")
        elif state == "paused" and done == ["learn"]:
            disk.enter_context(no_file_beyond(20_000))
            os.kill(os.getpid(), signal.SIGTERM)
            done.append("signal")

    with ExitStack() as disk:
        assert run_application(learn_then_signal, tmp_path / "cache") == UNSAVED == 3
    errors = capsys.readouterr().err
    assert "headlight: The run cannot be written to " in errors
    assert errors.endswith("Everything up to step 0 is kept.\n")
    assert not qapp.windowIcon().isNull()


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
