"""What is noticed is a chip; opened, it is a sentence, its usual meaning, and an experiment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from core.events import ProbeDone, StepsDone
from core.history import History
from core.notices.notice import Experiment
from core.probes import Probe
from gui.main_window import MainWindow
from gui.panels.learning.curves import Curves
from gui.playhead import Playhead
from gui.theme import Theme
from tests.gui.builders import sentence
from tests.gui.conftest import SMALL, WAIT_MS
from tests.gui.panels.conftest import prepared

Stage = Callable[[QWidget, int, int], None]
RESTART = Experiment("dropout 0.3", "model.dropout", 0.3)


@pytest.fixture
def stuck() -> History:
    """300 of 400 steps at a rate of nearly zero, which is noticed at step 280; a plateau besides, at the same."""
    made = History()
    made.take(prepared())
    made.take(
        StepsDone(first_step=1, arrays={"train/loss": np.full(300, 3.9), "train/learning_rate": np.full(300, 1e-9)})
    )
    for step in (100, 260, 280):
        made.take(ProbeDone(probe=Probe(step=step, sentences=(sentence(),))))
    return made


@pytest.fixture
def panel(stage: Stage, theme: Theme, stuck: History) -> Curves:
    playhead = Playhead()
    playhead.advance(300)
    made = Curves(theme, playhead)
    stage(made, 1100, 300)
    made.show_step(stuck, 300)
    return made


def test_what_is_noticed_is_a_chip_and_a_mark_and_nothing_opens_by_itself(panel: Curves) -> None:
    assert panel.notices.chip.isVisible() and panel.notices.chip.text() == "2 notices"
    assert not panel.notices.isVisible()
    marks = [(mark.step, mark.text) for mark in panel.ticks.marks if mark.kind == "noticed"]
    assert marks[0] == (280, "step 280: noticed a learning rate of nearly zero")


def test_before_it_was_noticed_there_is_no_chip(panel: Curves, stuck: History) -> None:
    panel.show_step(stuck, 279)
    assert not panel.notices.chip.isVisible()


def test_opened_it_says_figures_meaning_and_experiment(panel: Curves, qtbot: QtBot) -> None:
    qtbot.keyClick(panel.notices.chip, Qt.Key.Key_Space)
    assert panel.notices.isVisible()
    assert panel.notices.seen_label.text() == (
        "At step 280 the learning rate is 1.0e-09, with 120 steps still to come."
    )
    assert panel.notices.usually_label.text().startswith("Usually the schedule has run out")
    assert panel.notices.try_button.text() == "Try it: the usual rate (0.001)"
    panel.notices.next_button.click()
    assert "stands still" in panel.notices.seen_label.text()


def test_what_was_dismissed_does_not_come_again(panel: Curves, stuck: History, qtbot: QtBot) -> None:
    panel.notices.chip.click()
    panel.notices.dismiss_button.click()
    assert panel.notices.chip.text() == "1 notice" and panel.notices.isVisible()
    panel.notices.dismiss_button.setFocus()
    qtbot.keyClick(panel.notices.dismiss_button, Qt.Key.Key_Space)
    assert not panel.notices.chip.isVisible() and not panel.notices.isVisible()
    assert not isinstance(panel.window().focusWidget(), QAbstractButton)  # which would take Space from Learn
    panel.show_step(stuck, 300)
    assert not panel.notices.chip.isVisible()


def test_a_disabled_experiment_says_why(panel: Curves, stuck: History) -> None:
    panel.notices.allow_trying("Its weights are elsewhere")
    panel.show_step(stuck, 299)
    assert not panel.notices.try_button.isEnabled()
    assert panel.notices.try_button.toolTip() == "Its weights are elsewhere"


def test_an_experiment_acts_on_the_run_or_waits_in_setup(
    empty_window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
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
    empty_window.train_view.curves.notices.tried.emit(RESTART)
    assert empty_window.setup_drawer.isVisible()
    assert empty_window.context.workbench.waiting == ("model.dropout",)
