"""A notice is a chip; opened, it shows what was seen, what that usually means, and an experiment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from core.events import ProbeDone, StepsDone
from core.exporting.sharing import receive, share
from core.history import History
from core.notices.notice import Notice, NoticeKind
from core.notices.rules import RULES
from core.probes import Probe
from core.run_folder import RunFolder
from core.settings.overriding import change_setting
from gui.main_window import MainWindow
from gui.panels.learning.curves import Curves
from gui.panels.learning.notice_bar import NoticeBar
from gui.playhead import Playhead
from gui.replay import Replay
from gui.runs.rows import example_path
from gui.theme import Theme
from tests.gui.builders import sentence
from tests.gui.conftest import SMALL, WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.panels.conftest import prepared
from tests.gui.waiting import wait_for

Stage = Callable[[QWidget, int, int], None]


@pytest.fixture
def stuck() -> History:
    """300 of 400 steps at a rate of nearly zero, noticed at step 280 together with a plateau."""
    made = History()
    made.apply(prepared())
    made.apply(
        StepsDone(first_step=1, arrays={"train/loss": np.full(300, 3.9), "train/learning_rate": np.full(300, 1e-9)})
    )
    for step in (100, 260, 280):
        made.apply(ProbeDone(probe=Probe(step=step, sentences=(sentence(),))))
    for _ in made.notices.check_new(made):
        pass
    return made


@pytest.fixture
def panel(stage: Stage, theme: Theme, stuck: History) -> Curves:
    playhead = Playhead()
    playhead.advance(300)
    made = Curves(theme, playhead, Replay(playhead, lambda: stuck.probes.steps))
    stage(made, 1100, 300)
    made.show_step(stuck, 300)
    return made


def test_notices_appear_as_a_chip_and_marks_and_nothing_opens(panel: Curves) -> None:
    assert panel.notices.chip.isVisible() and panel.notices.chip.text() == "2 notices"
    assert not panel.notices.isVisible()
    marks = [(mark.step, mark.text) for mark in panel.ticks.marks if mark.kind == "noticed"]
    assert marks[0] == (280, "step 280: noticed a learning rate of nearly zero")


def test_before_the_step_of_a_notice_there_is_no_chip(panel: Curves, stuck: History) -> None:
    panel.show_step(stuck, 279)
    assert not panel.notices.chip.isVisible()


def test_an_opened_notice_shows_figures_meaning_and_experiment(panel: Curves, qtbot: QtBot) -> None:
    qtbot.keyClick(panel.notices.chip, Qt.Key.Key_Space)
    assert panel.notices.isVisible()
    assert panel.notices.seen_label.text() == ("At step 280 the learning rate is 1e-09, with 120 steps still to come.")
    assert panel.notices.usually_label.text().startswith("Usually the schedule has run out")
    assert panel.notices.try_button.text() == "Try it: the usual rate (0.001)"
    panel.notices.next_button.click()
    assert "has stood still" in panel.notices.seen_label.text()


def test_a_dismissed_notice_stays_dismissed(panel: Curves, stuck: History, qtbot: QtBot) -> None:
    panel.notices.chip.click()
    panel.notices.dismiss_button.click()
    assert panel.notices.chip.text() == "1 notice" and panel.notices.isVisible()
    panel.notices.dismiss_button.setFocus()
    qtbot.keyClick(panel.notices.dismiss_button, Qt.Key.Key_Space)
    assert not panel.notices.chip.isVisible() and not panel.notices.isVisible()
    assert not isinstance(panel.window().focusWidget(), QAbstractButton)  # it would take Space from Learn
    panel.show_step(stuck, 300)
    assert not panel.notices.chip.isVisible()


def test_a_disabled_experiment_says_why(panel: Curves, stuck: History) -> None:
    panel.notices.allow_trying("Its weights are elsewhere")
    panel.show_step(stuck, 299)
    assert not panel.notices.try_button.isEnabled()
    assert panel.notices.try_button.toolTip() == "Its weights are elsewhere"


def test_an_experiment_during_the_run_is_disabled_if_the_run_takes_no_steps(panel: Curves, stuck: History) -> None:
    notices = panel.notices
    notices.allow_trying("", "It takes no steps")
    panel.show_step(stuck, 299)
    assert not notices.try_button.isEnabled() and notices.try_button.toolTip() == "It takes no steps"
    plant(notices, stuck, "memorising")
    assert notices.try_button.isEnabled() and notices.try_button.text() == "Try it: dropout 0.1"
    assert "new run" in notices.try_button.toolTip()


def test_without_an_experiment_there_is_no_button(panel: Curves, stuck: History) -> None:
    assert stuck.prepared is not None
    config = change_setting(stuck.prepared.config, "model.dropout", 0.9)
    stuck.prepared = replace(stuck.prepared, config=config)
    panel.notices.chip.click()
    plant(panel.notices, stuck, "memorising")
    assert panel.notices.isVisible() and not panel.notices.try_button.isVisible()
    plant(panel.notices, stuck, "dead_heads")
    assert panel.notices.try_button.isVisible()


def plant(notices: NoticeBar, history: History, kind: NoticeKind) -> None:
    """Replace the notices of a history by one of this kind, at step 0."""
    (rule,) = (rule for rule in RULES if rule.kind == kind)
    history.notices._notices = {kind: Notice(rule, 0, "Seen.")}
    history.notices._published = history.notices._notices, {}
    notices.show_step(history, history.last_step)


def test_one_click_applies_the_experiment_to_the_run(empty_window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    settings = "max_steps: 100, optimizer: {learning_rate: 1.0e-9}, schedule: {name: constant, warmup_steps: 0}"
    path = tmp_path / "hopeless.yaml"
    path.write_text(SMALL.replace("max_steps: 40", settings), encoding="utf-8")
    empty_window.setup_drawer.open_file(path)
    bridge, notices = empty_window.context.bridge, empty_window.train_view.curves.notices
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    empty_window.context.workbench.learn(60)
    qtbot.waitUntil(lambda: bridge.state == "paused" and notices.chip.isVisible(), timeout=WAIT_MS)
    notices.chip.click()
    notices.try_button.click()
    qtbot.waitUntil(lambda: bool(bridge.history.settings_changed), timeout=WAIT_MS)
    changed = bridge.history.settings_changed[0]
    assert (changed.key, changed.value) == ("training.optimizer.learning_rate", 1e-3)
    assert not empty_window.setup_drawer.isVisible()


def test_every_experiment_takes_one_click(window: MainWindow, qtbot: QtBot) -> None:
    bridge, notices = window.context.bridge, window.train_view.curves.notices
    workbench = window.context.workbench
    workbench.edit("training.max_steps", 4)
    workbench.learn(2)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    for rule in RULES:
        run, step = not_none(workbench.run), bridge.history.last_step
        before = not_none(bridge.history.prepared).config
        experiment = not_none(rule.experiment(before))
        changed = change_setting(before, experiment.key, experiment.value)
        plant(notices, bridge.history, rule.kind)
        notices.chip.setChecked(True)
        qtbot.mouseClick(notices.try_button, Qt.MouseButton.LeftButton)
        wait_for(qtbot, lambda changed: not_none(bridge.history.prepared).config == changed, changed)
        if experiment.acts_now:
            assert bridge.history.settings_changed[-1].key == experiment.key and workbench.run == run
        else:
            wait_for(qtbot, lambda run: workbench.run not in (None, run) and bridge.state == "finished", run)
            assert RunFolder.open(not_none(workbench.run)).config() == changed
            assert run.is_dir() and step in RunFolder.open(run).checkpoint_steps()
            workbench.finish()
        assert (
            not window.setup_drawer.isVisible()
            and workbench.waiting_changes == ()
            and window.trouble_strip.trouble is None
        )


def test_experiments_are_disabled_while_another_preset_waits_in_setup(
    window: MainWindow, qtbot: QtBot, small_file: Path
) -> None:
    bridge, notices = window.context.bridge, window.train_view.curves.notices
    window.context.workbench.learn(2)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    for kind in ("memorising", "diverging"):  # one begins a new run, the other changes this one
        plant(notices, bridge.history, kind)
        window.setup_drawer.choose_preset("reverse")
        assert not notices.try_button.isEnabled() and "waits in Setup" in notices.try_button.toolTip()
        window.setup_drawer.open_file(small_file)  # the settings of this run
        assert notices.try_button.isEnabled()


def test_on_the_example_and_a_shared_run_a_disabled_experiment_says_why(empty_window: MainWindow, qtbot: QtBot) -> None:
    context, notices = empty_window.context, empty_window.train_view.curves.notices
    context.workbench.open_run(example_path())
    qtbot.waitUntil(lambda: context.bridge.state == "finished", timeout=WAIT_MS)
    plant(notices, context.bridge.history, "diverging")
    assert not notices.try_button.isEnabled() and "example run stays" in notices.try_button.toolTip()
    plant(notices, context.bridge.history, "dead_heads")
    assert notices.try_button.isEnabled()
    share(RunFolder.open(example_path()), context.runs_directory.path.with_name("given.headlight"))
    received = receive(context.runs_directory.path.with_name("given.headlight"), context.runs_directory.path)
    context.workbench.open_run(received)
    qtbot.waitUntil(lambda: context.workbench.run == received, timeout=WAIT_MS)
    plant(notices, context.bridge.history, "diverging")
    qtbot.waitUntil(lambda: "shared run does not learn" in notices.try_button.toolTip(), timeout=WAIT_MS)


def test_on_a_failed_run_a_disabled_experiment_says_why(empty_window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    diverging = "max_steps: 40, optimizer: {name: sgd, learning_rate: 100.0, momentum: 0.9}, max_grad_norm: null, "
    path = tmp_path / "diverging.yaml"
    path.write_text(SMALL.replace("max_steps: 40", f"{diverging}schedule: {{name: constant, warmup_steps: 0}}"))
    empty_window.setup_drawer.open_file(path)
    bridge, notices = empty_window.context.bridge, empty_window.train_view.curves.notices
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    empty_window.context.workbench.learn()
    qtbot.waitUntil(lambda: bridge.state == "failed", timeout=WAIT_MS)
    plant(notices, bridge.history, "diverging")
    assert not notices.try_button.isEnabled() and "takes no more steps" in notices.try_button.toolTip()
