"""Runs are inspected for problems whichever view is open, in small pieces."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from core.events import ProbeDone, StepsDone
from core.history import History
from core.probes import Probe
from core.run_files.state import RunState
from core.run_files.step_files import step_path
from core.run_folder import RunFolder
from gui.frame.rail import RailButton
from gui.main_window import MainWindow
from gui.run_inspector import RunInspector
from gui.runs.rows import example_path
from tests.gui.builders import sentence
from tests.gui.conftest import SMALL, WAIT_MS
from tests.gui.panels.conftest import prepared

WaitForState = Callable[[str], None]


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    """The settings of a run that cannot learn: its rate is nearly zero."""
    settings = "max_steps: 100, optimizer: {learning_rate: 1.0e-9}, schedule: {name: constant, warmup_steps: 0}"
    path = tmp_path / "hopeless.yaml"
    path.write_text(SMALL.replace("max_steps: 40", settings), encoding="utf-8")
    return path


def rail_button(window: MainWindow, index: int) -> RailButton:
    return [button for button in window.rail.findChildren(RailButton) if button is not window.rail.setup_button][index]


def test_a_notice_shows_in_the_rail_while_another_view_is_open(
    window: MainWindow, qtbot: QtBot, wait_for_state: WaitForState
) -> None:
    train, notices = rail_button(window, 0), window.train_view.curves.notices
    window.show_view(1)
    without = train.grab().toImage()
    window.context.workbench.learn(60)
    qtbot.waitUntil(lambda: train.has_dot, timeout=WAIT_MS)
    wait_for_state("paused")
    assert train.accessibleDescription() == notices.chip.text() != ""
    assert train.toolTip().endswith(notices.chip.text())
    assert train.grab().toImage() != without
    window.context.playhead.view(0)
    qtbot.waitUntil(lambda: not train.has_dot, timeout=WAIT_MS)  # nothing had been noticed by then
    assert train.grab().toImage() == without and train.accessibleDescription() == ""
    window.context.playhead.go_live()
    qtbot.waitUntil(lambda: train.has_dot, timeout=WAIT_MS)
    window.show_view(0)
    assert not train.has_dot and train.accessibleDescription() == ""
    qtbot.waitUntil(lambda: notices.chip.isVisible(), timeout=WAIT_MS)
    while notices.notices:
        notices.dismiss_button.click()
    window.show_view(1)
    assert not train.has_dot


def test_a_long_run_is_inspected_in_pieces_one_each_round(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gui.run_inspector.BUDGET_S", 0.0)
    history, bridge = History(), window.context.bridge
    history.apply(prepared())
    rates = {"train/loss": np.full(300, 3.9), "train/learning_rate": np.full(300, 1e-9)}
    history.apply(StepsDone(first_step=1, arrays=rates))
    for step in range(100, 300, 20):
        history.apply(ProbeDone(probe=Probe(step=step, sentences=(sentence(),))))
    bridge.followed = history
    window.context.playhead.advance(300)
    inspector, notices = RunInspector(bridge, window.context.playhead), []
    inspector.changed.connect(lambda: notices.append([notice.rule.kind for notice in history.notices.all()]))
    num_rounds = 0
    while not history.notices.all():
        inspector.inspect()
        num_rounds += 1
    assert num_rounds == 1 + len(history.probes.steps)  # one look per probe; the last one publishes
    assert notices[-1] == ["no_rate", "plateau"]
    bridge.followed = None


def test_an_opened_run_is_drawn_again_once_it_is_fully_inspected(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.run_inspector.BUDGET_S", 0.0)
    window.show_view(1)
    title, strip = window.attention_view.grid.title_label, window.time_strip
    window.context.follower.follow(example_path())
    qtbot.waitUntil(lambda: "since 233" in title.text(), timeout=WAIT_MS)  # after the inspection
    qtbot.waitUntil(lambda: any(mark.kind == "aligned" for mark in strip.ticks.marks), timeout=WAIT_MS)


def test_additions_to_a_followed_run_are_drawn_again_once_inspected(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.run_inspector.BUDGET_S", WAIT_MS / 1000)  # all at once
    monkeypatch.setattr(RunState, "writer", lambda state: "process 7")  # an ended run is read only once more
    window.show_view(1)
    title, strip = window.attention_view.grid.title_label, window.time_strip
    run, later = shutil.copytree(example_path(), tmp_path / "run"), tmp_path / "later"
    later.mkdir()
    for step in RunFolder.open(run).probe_steps()[2:]:
        shutil.move(step_path(run, "probes", step), later)
    window.context.follower.follow(run)
    followed = follow_and_wait_for_inspection(window, qtbot)
    assert "since" not in title.text() and not any(mark.kind == "aligned" for mark in strip.ticks.marks)
    for file in sorted(later.iterdir()):
        shutil.move(file, run / "probes")
    qtbot.waitUntil(lambda: followed.probes.alignment.has_step(followed.last_step), timeout=WAIT_MS)
    follow_and_wait_for_inspection(window, qtbot)
    assert "since 233" in title.text() and any(mark.kind == "aligned" for mark in strip.ticks.marks)


def follow_and_wait_for_inspection(window: MainWindow, qtbot: QtBot) -> History:
    """Wait until the followed run is completely inspected and drawn; return its history."""
    bridge, scheduler = window.context.bridge, window.context.redraw_scheduler
    qtbot.waitUntil(
        lambda: bridge.followed is not None and not bridge.followed.probes.alignment.unread, timeout=WAIT_MS
    )
    for _ in range(2):  # the first may have begun earlier
        with qtbot.waitSignal(scheduler.round_ended, timeout=WAIT_MS):
            pass
    assert bridge.followed is not None
    return bridge.followed
