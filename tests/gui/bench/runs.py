"""Runs that cannot be saved, opened or read, for the tests of what the workbench then does."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from core.requests import LocateData
from gui.main_window import MainWindow
from gui.workbench import Workbench
from tests.gui.conftest import WAIT_MS

ROOT = Path(__file__).parents[3]


def unsaveable_run(qtbot: QtBot, window: MainWindow) -> Path:
    """Pause a run at step 3 and make its checkpoints impossible to write; return its path."""
    workbench, bridge = window.context.workbench, window.context.bridge
    workbench.learn(3)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    assert workbench.run is not None
    make_unsaveable(workbench.run)
    return workbench.run


def make_unsaveable(run: Path) -> None:
    """Make the checkpoints of a run impossible to write."""
    shutil.rmtree(run / "checkpoints", ignore_errors=True)
    (run / "checkpoints").write_text("a file where the folder should be", encoding="utf-8")


def wait_for_answers(qtbot: QtBot, window: MainWindow) -> None:
    """Wait until the engine has answered every request made so far."""
    answers: list[object] = []
    window.context.bridge.ask(LocateData(), answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=WAIT_MS)


def running_timers(workbench: Workbench) -> list[int]:
    """The intervals in milliseconds of the timers that are running."""
    return [timer.interval() for timer in workbench.findChildren(QTimer) if timer.isActive()]


def reopened_run(qtbot: QtBot, window: MainWindow) -> Path:
    """Train three steps, reset, and open the run again: no process writes it. Return its path."""
    workbench, bridge = window.context.workbench, window.context.bridge
    workbench.learn(3)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    run = workbench.run
    assert run is not None
    workbench.reset()
    workbench.open_run(run)
    qtbot.waitUntil(lambda: workbench.run == run and not workbench.is_opening, timeout=WAIT_MS)
    return run


def damaged_run(path: Path) -> Path:
    """Copy a run to `path` and damage its checkpoints; only loading the weights fails."""
    run = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", path)
    damage(run)
    return run


def damage(run: Path) -> None:
    for file in run.glob("checkpoints/*/*"):
        file.write_bytes(b"cut off")
