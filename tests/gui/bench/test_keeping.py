"""A run that is left: in the trash if it took no step, otherwise kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.requests import LocateData
from core.run_folder import RunFolder, RunLabel, list_runs
from gui.main_window import MainWindow
from gui.runs.rows import example_path
from gui.workbench import Workbench
from tests.gui.bench.runs import reopened_run
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none


@pytest.mark.parametrize("leave", [Workbench.reset, lambda workbench: workbench.open_run(example_path())])
def test_a_run_left_before_its_first_step_is_trashed(
    qtbot: QtBot, window: MainWindow, home: Path, tmp_path: Path, leave: Callable[[Workbench], None]
) -> None:
    (home / "data").mkdir(exist_ok=True)  # for the trash
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn()
    bridge.engine.ask(LocateData()).result(timeout=100)  # its folder exists, but the window has not processed the event
    assert len(list_runs(tmp_path / "runs")) == 1
    leave(workbench)
    qtbot.waitUntil(lambda: not list_runs(tmp_path / "runs"), timeout=WAIT_MS)
    assert window.trouble_strip.trouble is None


@pytest.mark.parametrize("is_read", [True, False])
@pytest.mark.parametrize("leave", [Workbench.reset, lambda workbench: workbench.open_run(example_path())])
def test_a_branch_left_before_its_first_step_is_trashed(
    qtbot: QtBot, window: MainWindow, home: Path, tmp_path: Path, leave: Callable[[Workbench], None], is_read: bool
) -> None:
    (home / "data").mkdir(exist_ok=True)  # for the trash
    bridge, workbench = window.context.bridge, window.context.workbench
    run = reopened_run(qtbot, window)
    workbench.branch(run, 2)
    bridge.engine.ask(LocateData()).result(timeout=100)  # its folder exists, but the window has not processed the event
    if is_read:
        qtbot.waitUntil(lambda: not workbench.is_opening, timeout=WAIT_MS)
    assert len(list_runs(tmp_path / "runs")) == 2
    leave(workbench)
    qtbot.waitUntil(lambda: list_runs(tmp_path / "runs") == [run], timeout=WAIT_MS)
    assert window.trouble_strip.trouble is None or window.trouble_strip.trouble.is_note


def test_a_replaced_branch_is_trashed_once(
    qtbot: QtBot, window: MainWindow, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "data").mkdir(exist_ok=True)  # for the trash
    bridge, workbench = window.context.bridge, window.context.workbench
    call, completed, errors = bridge.run_in_background, list[None](), list[Exception]()
    run = reopened_run(qtbot, window)
    workbench.branch(run, 3)
    qtbot.waitUntil(lambda: not workbench.is_opening and workbench.run != run, timeout=WAIT_MS)
    branch = workbench.run
    monkeypatch.setattr(
        bridge, "run_in_background", lambda function, on_done=None, **_: call(function, on_done, errors.append)
    )
    workbench.edit("model.dropout", 0.5)
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.state == "paused" and bridge.history.last_step == 4, timeout=WAIT_MS)
    bridge.run_in_background(lambda: None, completed.append)  # queued behind what may trash the run
    qtbot.waitUntil(lambda: bool(completed), timeout=WAIT_MS)
    assert workbench.run != branch and list_runs(tmp_path / "runs") == sorted([run, not_none(workbench.run)])
    assert errors == []


def test_a_branch_with_a_step_or_a_branch_of_its_own_stays(
    qtbot: QtBot, window: MainWindow, home: Path, tmp_path: Path
) -> None:
    (home / "data").mkdir(exist_ok=True)  # for the trash
    bridge, workbench, completed = window.context.bridge, window.context.workbench, list[None]()
    runs = [reopened_run(qtbot, window)]
    for _ in range(2):  # the second is a branch of the first, which took no step
        workbench.branch(runs[-1], 2)
        qtbot.waitUntil(lambda: not workbench.is_opening and workbench.run not in runs, timeout=WAIT_MS)
        runs.append(not_none(workbench.run))
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.state == "paused" and bridge.history.last_step == 3, timeout=WAIT_MS)
    workbench.reset()
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    bridge.run_in_background(lambda: None, completed.append)  # queued behind what may trash a run
    qtbot.waitUntil(lambda: bool(completed), timeout=WAIT_MS)
    assert list_runs(tmp_path / "runs") == sorted(runs)


def test_a_moved_run_left_before_its_first_step_is_trashed(
    qtbot: QtBot, window: MainWindow, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "data").mkdir(exist_ok=True)  # for the trash
    monkeypatch.setattr("core.serving.learning.Learning.seconds_to_next_step", lambda _: 1000.0)  # no step
    workbench, new_folder = window.context.workbench, tmp_path / "elsewhere"
    workbench.learn()
    qtbot.waitUntil(lambda: workbench.run is not None, timeout=WAIT_MS)
    workbench.change_runs_dir(new_folder, workbench.run)
    qtbot.waitUntil(lambda: list_runs(new_folder) == [workbench.run], timeout=WAIT_MS)
    assert window.context.bridge.history.last_step == 0
    workbench.reset()
    qtbot.waitUntil(lambda: not list_runs(new_folder), timeout=WAIT_MS)


def test_a_named_run_left_before_its_first_step_stays(
    qtbot: QtBot, window: MainWindow, home: Path, tmp_path: Path
) -> None:
    (home / "data").mkdir(exist_ok=True)  # for the trash
    bridge, workbench, completed = window.context.bridge, window.context.workbench, list[None]()
    workbench.learn()
    bridge.engine.ask(LocateData()).result(timeout=100)  # its folder exists, but the window has not processed the event
    [run] = list_runs(tmp_path / "runs")
    RunFolder.open(run).write_label(RunLabel(name="the one for Monday"))
    workbench.open_run(example_path())
    qtbot.waitUntil(lambda: workbench.run == example_path(), timeout=WAIT_MS)
    bridge.run_in_background(lambda: None, completed.append)  # queued behind what may trash the run
    qtbot.waitUntil(lambda: bool(completed), timeout=WAIT_MS)
    assert list_runs(tmp_path / "runs") == [run]


def test_a_run_left_right_after_its_first_step_stays(
    qtbot: QtBot, window: MainWindow, home: Path, tmp_path: Path
) -> None:
    (home / "data").mkdir(exist_ok=True)  # for the trash
    bridge, workbench, completed = window.context.bridge, window.context.workbench, list[None]()
    workbench.learn(1)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.history.last_step == 1, timeout=WAIT_MS)
    run = workbench.run
    workbench.open_run(example_path())
    qtbot.waitUntil(lambda: workbench.run == example_path(), timeout=WAIT_MS)
    bridge.run_in_background(lambda: None, completed.append)  # queued behind what may trash the run
    qtbot.waitUntil(lambda: bool(completed), timeout=WAIT_MS)
    assert list_runs(tmp_path / "runs") == [run]
