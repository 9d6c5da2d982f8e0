"""The picture of the paper's schedule: its formula, dragged, and taken over."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.panels.anatomy.noam import NoamTopic


@pytest.fixture
def topic(window: MainWindow) -> NoamTopic:
    view = window.anatomy_view
    window.show_view(window.views.index(view))
    view.choose(NoamTopic)
    assert isinstance(view.topic, NoamTopic)
    draw(view.topic, window)
    return view.topic


def draw(topic: NoamTopic, window: MainWindow) -> None:
    topic.show_step(window.context.bridge.history, 0)


def direct(d_model: int, warmup: int, steps: np.ndarray) -> np.ndarray:
    return d_model**-0.5 * np.minimum(steps**-0.5, steps * warmup**-1.5)


def test_each_curve_is_the_formulas(topic: NoamTopic) -> None:
    assert (topic.width_spin.value(), topic.warmup_spin.value()) == (16, 4000)  # the small model's, the paper's
    for curve, (width, warmup) in zip(
        (topic._own, *topic._references), ((16, 4000), (512, 4000), (512, 8000), (256, 4000)), strict=True
    ):
        steps, rates = curve.getData()
        np.testing.assert_allclose(rates, direct(width, warmup, steps))


def test_the_line_drags_the_warmup_and_the_peak_is_said(topic: NoamTopic, window: MainWindow) -> None:
    topic.line.setValue(900.4)
    topic.line.sigDragged.emit(topic.line)
    draw(topic, window)
    assert topic.warmup_spin.value() == 900
    assert topic.readout_label.text() == f"Yours peaks at step 900 with {16**-0.5 / 30:.2e}."
    topic.plot.pointed.emit(QPointF(3600.0, 0.0))
    assert topic.readout_label.text().endswith(f"At step 3,600: {16**-0.5 / 60:.2e}.")
    steps, rates = topic._own.getData()
    assert steps[rates.argmax()] == 900


def test_setup_takes_it_over(topic: NoamTopic, window: MainWindow, qtbot: QtBot) -> None:
    topic.warmup_spin.setValue(250)
    qtbot.mouseClick(topic.take_button, Qt.MouseButton.LeftButton)
    draft = window.context.workbench.draft
    assert draft is not None
    assert (draft.training.schedule.name, draft.training.schedule.warmup_steps) == ("noam", 250)
    assert "noam with 250 warm-up steps" in topic.readout_label.text()
