"""`make run` without a display trains and translates in the terminal."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux may have no display")
def test_without_a_display_it_trains_translates_and_prints_the_runs_folder(home: Path) -> None:
    hidden = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    command = [sys.executable, "-m", "scripts.run"]
    result = subprocess.run(command, cwd=ROOT, env=hidden, capture_output=True, text=True, timeout=200)
    assert result.returncode == 0, result.stderr
    assert "No window can be opened" in result.stdout and "there is no display" in result.stderr
    assert len(re.findall(r"  ->  .* \(right\)$", result.stdout, flags=re.MULTILINE)) == 3
    run = Path(re.findall(r"The run is kept in (.*)", result.stdout)[0])
    assert run.parent == home / "runs"
    assert (run / "config.yaml").is_file()
    assert result.stderr.count("\n") < 50  # the progress bar redraws its line instead of printing one per step


@pytest.mark.skipif(sys.platform != "linux", reason="needs POSIX signals")
def test_a_sigterm_is_passed_on_and_the_run_is_saved(home: Path) -> None:
    hidden = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    with subprocess.Popen(
        [sys.executable, "-m", "scripts.run"], cwd=ROOT, env=hidden, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        seen = next(line for line in process.stderr if line.startswith("run "))
        process.terminate()
        rest = process.stderr.read()
    assert process.returncode == 128 + signal.SIGTERM, rest
    assert f"train --resume {seen.removeprefix('run ').strip()}" in rest and "Traceback" not in rest
