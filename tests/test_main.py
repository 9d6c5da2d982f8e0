"""The entry point: a window where there is a display, a sentence where there is none, verbs to the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMMAND = [sys.executable, str(ROOT / "main.py")]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_without_a_display_it_says_how_to_train(tmp_path: Path) -> None:
    hidden = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    result = subprocess.run(COMMAND, cwd=tmp_path, env=hidden, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert "headlight train" in result.stderr
