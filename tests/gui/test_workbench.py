"""Of several simultaneous requests to the workbench, the last one counts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event

import pytest
from pytestqt.qtbot import QtBot

from core.errors import UserError
from core.events import SettingChanged, Trouble
from core.notices.notice import Experiment
from core.requests import Branch, LocateData, OpenRun
from core.run_folder import RunFolder, list_runs
from core.settings.presets import read_preset
from gui.main_window import MainWindow
from gui.runs.rows import example_path
from gui.workbench import Workbench
from tests.gui.bench.runs import ROOT, damaged_run, reopened_run, running_timers, unsaveable_run, wait_for_answers
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none


def test_a_late_refusal_does_not_cancel_a_newer_request(qtbot: QtBot, window: MainWindow) -> None:
    workbench, bridge = window.context.workbench, window.context.bridge
    dataset = not_none(workbench.draft).dataset.model_dump()
    workbench.edit("dataset", {"plugin": "parallel_text"})  # no files are given
    workbench.prepare()
    with pytest.raises(UserError, match="Nothing is prepared"):
        bridge.engine.ask(LocateData()).result(timeout=100)  # refused, but the window has not processed it
    workbench.edit("dataset", dataset)
    workbench.restart()
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.history.last_step > 0, timeout=WAIT_MS)


def test_an_edit_prepares_again_300_ms_after_the_last_one(window: MainWindow) -> None:
    workbench = window.context.workbench
    for width in (32, 64):
        workbench.edit("model.d_ff", width)
        assert running_timers(workbench) == [300]


def test_a_scheduled_preparation_does_not_cancel_the_first_opening(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench = window.context.workbench
    other = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    assert workbench.run is None
    workbench.edit("model.d_ff", 32)
    workbench.open_run(other)
    workbench.prepare_again()
    workbench.edit("model.d_ff", 64)
    assert running_timers(workbench) == []
    qtbot.waitUntil(lambda: workbench.run == other, timeout=WAIT_MS)


def test_an_earlier_preparation_does_not_cancel_an_opening(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    other = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    late = not_none(bridge.history.prepared)
    workbench.open_run(other)
    bridge.prepared.emit(late)  # the window had not processed it yet
    workbench.edit("model.d_ff", 64)
    assert running_timers(workbench) == []
    qtbot.waitUntil(lambda: workbench.run == other, timeout=WAIT_MS)


@pytest.mark.parametrize("is_to_begin", [True, False])
def test_a_preparation_refused_late_does_not_cancel_an_opening(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, is_to_begin: bool
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    other = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "other")
    (tmp_path / "runs").write_text("a file where the folder should be", encoding="utf-8")
    if is_to_begin:
        workbench.learn()
    else:
        workbench.edit("dataset", {"plugin": "parallel_text"})  # no files are given
        workbench.prepare()
    with suppress(UserError):
        bridge.engine.ask(LocateData()).result(timeout=100)  # refused, but the window has not processed it
    workbench.edit("model.d_ff", 64)
    troubles = list[Trouble]()
    bridge.trouble.connect(troubles.append)
    workbench.open_run(other)
    qtbot.waitUntil(lambda: workbench.run == other and not workbench.is_opening, timeout=WAIT_MS)
    assert troubles


def test_an_earlier_opening_does_not_cancel_the_next(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    other = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    workbench.open_run(tmp_path / "gone")
    with pytest.raises(UserError, match="gone"):
        bridge.engine.ask(OpenRun(run=tmp_path / "gone")).result(timeout=100)  # the window has not processed it
    workbench.open_run(other)
    bridge.drain()
    assert workbench.is_opening
    qtbot.waitUntil(lambda: workbench.run == other, timeout=WAIT_MS)
    late = not_none(bridge.history.prepared)
    workbench.open_run(example_path())
    bridge.prepared.emit(late)
    assert workbench.is_opening
    qtbot.waitUntil(lambda: workbench.run == example_path() and not workbench.is_opening, timeout=WAIT_MS)


def test_learn_during_an_opening_begins_no_run(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    workbench = window.context.workbench
    workbench.open_run(tmp_path / "gone")
    workbench.learn()
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None and not workbench.is_opening, timeout=WAIT_MS)
    assert not list_runs(tmp_path / "runs")
    workbench.learn()
    qtbot.waitUntil(lambda: window.context.bridge.state == "finished", timeout=WAIT_MS)
    assert len(list_runs(tmp_path / "runs")) == 1


@pytest.mark.parametrize("ask", [Workbench.learn, Workbench.finish])
def test_requests_made_during_an_opening_apply_to_neither_run(
    qtbot: QtBot, window: MainWindow, ask: Callable[[Workbench], None]
) -> None:
    bridge, workbench, runs = window.context.bridge, window.context.workbench, list[Path]()
    for _ in range(2):
        workbench.reset()
        workbench.learn(1)
        qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
        runs.append(not_none(workbench.run))
    workbench.open_run(runs[0])
    ask(workbench)
    qtbot.waitUntil(lambda: workbench.run == runs[0] and not workbench.is_opening, timeout=WAIT_MS)
    wait_for_answers(qtbot, window)
    assert bridge.state == "paused" and bridge.history.last_step == 1


def test_a_run_opened_right_after_learn_takes_no_step(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    other = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    workbench.learn()
    workbench.open_run(other)
    qtbot.waitUntil(lambda: workbench.run == other, timeout=WAIT_MS)
    answers: list[object] = []
    bridge.ask(LocateData(), answers.append)  # queued behind a pending Learn
    qtbot.waitUntil(lambda: bool(answers), timeout=WAIT_MS)
    assert bridge.state == "paused"


def test_a_branch_of_another_run_can_be_requested_during_an_opening(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[object] = []
    monkeypatch.setattr(window.context.bridge, "ask", lambda request, *_: requests.append(request))
    window.context.workbench.open_run(example_path())
    window.context.workbench.branch(example_path(), 800)
    assert [type(request) for request in requests] == [OpenRun, Branch]


def test_a_closed_window_applies_no_edits(qtbot: QtBot, window: MainWindow) -> None:
    workbench, bridge = window.context.workbench, window.context.bridge
    workbench.learn(1)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    workbench.edit("model.dropout", 0.25)
    assert running_timers(workbench)
    window.shut_down()
    assert not running_timers(workbench)


@pytest.mark.parametrize("leave", [Workbench.reset, lambda workbench: workbench.open_run(example_path())])
def test_requests_cancelled_by_a_failed_close_are_dropped(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, leave: Callable[[Workbench], None]
) -> None:
    workbench, bridge = window.context.workbench, window.context.bridge
    run, may_continue = unsaveable_run(qtbot, window), Event()

    def hold(event: object) -> None:
        """Block the engine until all requests are queued."""
        if isinstance(event, SettingChanged):
            may_continue.wait(30)

    bridge.engine.add_listener(hold)
    workbench.try_out(Experiment("a higher rate", "training.optimizer.learning_rate", 0.25))
    leave(workbench)
    window.close()
    may_continue.set()
    qtbot.waitUntil(window.isEnabled, timeout=WAIT_MS)
    assert workbench.run == run and not workbench.is_opening
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.history.last_step == 4, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    workbench.change_runs_dir(tmp_path / "elsewhere", run)
    qtbot.waitUntil(lambda: workbench.run != run, timeout=WAIT_MS)


@pytest.mark.parametrize(
    "choose", [Workbench.reset, lambda workbench: workbench.replace_draft(read_preset("copy_task"))]
)
def test_an_opened_run_does_not_replace_a_newer_choice(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, choose: Callable[[Workbench], None]
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.open_run(example_path())
    bridge.engine.ask(LocateData()).result(timeout=100)  # it is open, but the window has not processed it
    choose(workbench)
    chosen = workbench.draft
    workbench.learn(1)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.history.last_step == 1, timeout=WAIT_MS)
    [run] = list_runs(tmp_path / "runs")
    assert RunFolder.open(run).config().model == not_none(chosen).model
    assert workbench.run == run and workbench.draft == chosen


@pytest.mark.parametrize("is_damaged", [True, False])
def test_a_reset_between_two_openings_holds_if_the_second_is_refused(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, is_damaged: bool
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    second = damaged_run(tmp_path / "runs" / "other") if is_damaged else tmp_path / "gone"
    settings = workbench.draft
    workbench.open_run(example_path())
    bridge.engine.ask(LocateData()).result(timeout=100)  # it is open, but the window has not processed it
    workbench.reset()
    workbench.open_run(second)
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None and bridge.state == "ready", timeout=WAIT_MS)
    wait_for_answers(qtbot, window)
    assert workbench.run is None and workbench.draft == workbench.applied == settings


def test_a_reset_between_two_openings_cancels_neither_the_second_nor_a_branch(qtbot: QtBot, window: MainWindow) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    run = reopened_run(qtbot, window)
    for second_request in (partial(workbench.open_run, run), partial(workbench.branch, run, 3)):
        workbench.open_run(example_path())
        bridge.engine.ask(LocateData()).result(timeout=100)  # it is open, but the window has not processed it
        workbench.reset()
        second_request()
        qtbot.waitUntil(lambda: workbench.run is not None and not workbench.is_opening, timeout=WAIT_MS)
        folder = not_none(bridge.history.folder)
        assert folder.path == workbench.run != example_path()
        assert run == workbench.run or folder.state.parent == run.name
