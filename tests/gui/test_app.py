"""The application as a process: signals save and end it without asking."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gui.remembered import recall

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_window(home: Path, number: signal.Signals) -> None:
    log = home / "cache"
    with subprocess.Popen([sys.executable, str(ROOT / "main.py")], stderr=subprocess.PIPE, env=os.environ) as process:
        deadline = time.monotonic() + 60
        while not (log / "headlight" / "prepared").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert b"Traceback" not in errors
    assert recall(home / "config" / "headlight" / "window.json").has_seen_tour
