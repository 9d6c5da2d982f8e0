"""The curves over one axis of steps, in the real window."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.panels.curves import Curves
from tests.gui.conftest import WAIT_MS


@pytest.fixture
def trained(qtbot: QtBot, window: MainWindow) -> MainWindow:
    window.context.workbench.learn(12)
    bridge = window.context.bridge
    qtbot.waitUntil(lambda: bridge.state == "paused" and bridge.history.last_step == 12, timeout=WAIT_MS)
    curves = window.findChild(Curves)
    qtbot.waitUntil(lambda: "step 12" in curves.title_label.text(), timeout=WAIT_MS)
    return window


def test_before_the_first_step_it_says_what_to_do(window: MainWindow, qtbot: QtBot) -> None:
    loss = window.findChild(Curves).loss
    qtbot.waitUntil(lambda: loss._invitation.isVisible(), timeout=WAIT_MS)
    assert "Space" in loss._invitation.toPlainText()


def test_guessing_is_drawn_at_the_logarithm_of_the_vocabulary(trained: MainWindow) -> None:
    loss = trained.findChild(Curves).loss
    assert loss._levels["guessing"].value() == pytest.approx(math.log(8))
    assert not loss._levels["limit"].isVisible()


def test_the_curves_are_those_of_the_run(trained: MainWindow) -> None:
    history, curves = trained.context.bridge.history, trained.findChild(Curves)
    steps, losses = history.curve("train/loss")
    drawn_steps, drawn = curves.loss._raw.getOriginalDataset()
    assert np.array_equal(drawn_steps, steps)
    assert np.array_equal(drawn, losses)
    assert np.array_equal(curves.learning_rate._done.getOriginalDataset()[1], history.curve("train/learning_rate")[1])
    ticks = np.unique(curves.ticks._probes.getOriginalDataset()[0])
    assert ticks.tolist() == history.probe_steps


def test_dragging_the_playhead_looks_at_an_earlier_step_and_says_its_figures(trained: MainWindow, qtbot: QtBot) -> None:
    curves, playhead = trained.findChild(Curves), trained.context.playhead
    curves.loss._line.setValue(5)
    curves.loss._line.sigDragged.emit(curves.loss._line)
    assert playhead.step == 5
    assert not playhead.is_live
    loss = trained.context.bridge.history.value("train/loss", 5)
    qtbot.waitUntil(lambda: f"step 5: train {loss:.3g}" in curves.title_label.text(), timeout=WAIT_MS)
    assert curves.learning_rate._line.value() == 5


def test_a_click_puts_the_playhead_there(trained: MainWindow, qtbot: QtBot) -> None:
    loss = trained.findChild(Curves).loss
    place = loss.mapFromScene(loss.plotItem.vb.mapViewToScene(QPointF(7.0, 1.0)))
    qtbot.mouseClick(loss.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: trained.context.playhead.step == 7, timeout=WAIT_MS)


def test_both_modes_draw_in_their_own_colours(trained: MainWindow) -> None:
    loss, theme = trained.findChild(Curves).loss, trained.context.theme
    for mode in ("dark", "light"):
        theme.set_mode(mode)
        assert loss._train.opts["pen"].color() == theme.colour("training")
        assert loss._valid.opts["pen"].style() == Qt.PenStyle.DashLine
