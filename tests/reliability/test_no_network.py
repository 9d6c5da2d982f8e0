"""Promise 14: nothing needs a network, tried in a namespace where even the loopback interface is down."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.run_folder import RunFolder
from core.torchrun import torchrun_command
from tests.reliability.privileges import WITHOUT_NETWORK, needs_own_network
from tests.reliability.training_process import ROOT, SECONDS, train

# Processes that train one model together connect through the loopback interface.
WITH_LOOPBACK = [*WITHOUT_NETWORK, "sh", "-c", 'ip link set lo up && exec "$0" "$@"']
# The same on a machine whose own name leads to no address.
WITHOUT_NAME = ["unshare", "--uts", "sh", "-c", 'hostname nameless && exec "$0" "$@"', *WITH_LOOPBACK]
TORCHRUN = ("tests/core/training", "tests/core/processes", "tests/benchmarks")

pytestmark = needs_own_network
OPEN_AND_CLOSE_WINDOW = """
import socket, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from core.engine import Engine
from gui import app
from gui.main_window import MainWindow
assert all(name == "lo" for _, name in socket.if_nameindex())
application = QApplication(sys.argv)
def poll():
    for window in application.topLevelWidgets():
        if isinstance(window, MainWindow) and window.context.bridge.state == "ready":
            timer.stop()
            window.close()
timer = QTimer()
timer.timeout.connect(poll)
timer.start(50)
with Engine() as engine:
    sys.exit(app.run(sys.argv, engine))
"""


def test_a_training_needs_no_network(tmp_path: Path) -> None:
    command = [*WITHOUT_NETWORK, *train(tmp_path, "--run-dir", str(tmp_path / "run"), "training.max_steps=5")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert result.returncode == 0, result.stderr
    assert RunFolder.open(tmp_path / "run").state.reason == "max_steps"


def test_processes_need_no_name_of_their_machine(tmp_path: Path) -> None:
    script = train(tmp_path, "--run-dir", str(tmp_path / "run"), "training.max_steps=5")[1:]
    result = subprocess.run(
        [*WITHOUT_NAME, *torchrun_command(2), *script], capture_output=True, text=True, cwd=ROOT, timeout=SECONDS
    )
    assert result.returncode == 0, result.stderr
    assert RunFolder.open(tmp_path / "run").state.reason == "max_steps"


def test_the_window_needs_no_network(full: bool) -> None:
    """Without --full, only the imports are tried."""
    command = [*WITHOUT_NETWORK, sys.executable, "-c", OPEN_AND_CLOSE_WINDOW if full else "import gui.app"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    assert (result.returncode, result.stderr) == (0, "")


def folders_of_tests() -> list[str]:
    """Every folder that contains tests."""
    return sorted({str(path.parent.relative_to(ROOT)) for path in ROOT.glob("tests/**/test_*.py")})


@pytest.mark.parametrize("folder", folders_of_tests())
def test_the_whole_suite_needs_no_network(folder: str, full: bool, tmp_path: Path) -> None:
    """Every other test of the project, run in such a namespace; those of the promises without --full."""
    if not full:
        pytest.skip("takes as long as all other tests: run with --full")
    files = [str(path) for path in sorted((ROOT / folder).glob("test_*.py")) if path != Path(__file__)]
    options = ["-q", "-p", "no:cacheprovider", "--basetemp", str(tmp_path / "alone")]
    isolated = WITH_LOOPBACK if folder in TORCHRUN else WITHOUT_NETWORK
    command = [*isolated, sys.executable, "-m", "pytest", *options, *files]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-5000:]
