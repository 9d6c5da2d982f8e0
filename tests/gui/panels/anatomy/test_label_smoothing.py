"""The picture of label smoothing shows the numbers of the formula."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.history import History
from core.settings.presets import read_preset
from gui.panels.anatomy.label_smoothing import LabelSmoothingTopic
from gui.pictures.picture_file import encoders_of
from gui.sentences.tokens import quoted
from gui.theme import Theme
from tests.gui.panels.anatomy.curves import runs_through
from tests.gui.panels.conftest import prepared

Stage = Callable[[QWidget, int, int], None]


@pytest.fixture
def topic(theme: Theme, history: History, stage: Stage) -> LabelSmoothingTopic:
    made = LabelSmoothingTopic(theme)
    stage(made, 900, 640)
    made.show_step(history, 0)
    return made


def test_epsilon_is_the_runs_until_the_user_changes_it(topic: LabelSmoothingTopic, history: History) -> None:
    assert history.prepared is not None
    assert topic.eps_spin.value() == history.prepared.config.training.label_smoothing
    topic.eps_spin.setValue(0.4)
    topic.show_step(history, 0)
    assert topic.eps_spin.value() == 0.4
    spoken = topic.targets.accessibleDescription()
    assert spoken.endswith("should get 0.6500.") and topic.readout_label.text().startswith(spoken)


@pytest.mark.parametrize("eps", [0.125, 0.95])
def test_any_epsilon_of_a_run_is_shown_unrounded(topic: LabelSmoothingTopic, history: History, eps: float) -> None:
    config = read_preset("toy_german_english", (f"training.label_smoothing={eps}",))
    history.apply(replace(prepared(), config=config))
    topic.show_step(history, 0)
    assert topic.eps_spin.value() == eps and topic.eps_spin.text() == f"{eps:g}"
    assert topic._names[topic._smoothed].toPlainText() == f"smoothed, ε = {eps}"


@pytest.mark.parametrize("width", [990, 1310])  # in windows of 1280 and 1600 pixels
def test_the_last_number_of_the_axis_is_drawn(topic: LabelSmoothingTopic, stage: Stage, width: int) -> None:
    stage(topic, width, 560)
    topic.grab()
    assert b">10,000<" in encoders_of(topic.export_widgets(), "")[".svg"]()


def test_a_token_written_from_right_to_left_does_not_reorder_the_sentence_about_it(
    topic: LabelSmoothingTopic, history: History
) -> None:
    history.apply(replace(prepared(), tgt_tokens=("ספר",) * 50))
    topic.show_step(history, 0)
    token = quoted("ספר")
    assert topic.readout_label.text().startswith(f"Where {token} is right, {token} should get 0.")


def test_the_smoothed_target_of_each_right_token_is_a_row_of_the_matrix(
    topic: LabelSmoothingTopic, history: History
) -> None:
    topic.eps_spin.setValue(0.4)
    topic.size_spin.setValue(5)
    topic.show_step(history, 0)
    matrix = topic.targets.matrix
    assert matrix is not None and len(matrix.columns) == 5
    expected = [[0.68 if column == row + 2 else 0.08 for column in range(5)] for row in range(3)]
    np.testing.assert_allclose(matrix.values, expected)


@pytest.mark.parametrize("width", [990, 1310])  # in windows of 1280 and 1600 pixels
def test_the_figures_of_a_row_add_up_to_one(
    topic: LabelSmoothingTopic, history: History, stage: Stage, width: int
) -> None:
    """In the first preset: ε is 0.1, and eight tokens are drawn."""
    stage(topic, width, 560)
    topic.eps_spin.setValue(0.1)
    topic.show_step(history, 0)
    svg = encoders_of(topic.export_widgets(), "")[".svg"]().decode()
    figures = re.findall(r">(0\.9125|0\.0125)<", svg)
    assert len(figures) == 6 * 8 and sum(map(float, figures)) == pytest.approx(6.0)
    assert ">lowest at p = 0.9125<" in svg


def test_the_penalty_follows_the_formula_and_its_minimum_is_marked(
    topic: LabelSmoothingTopic, history: History
) -> None:
    topic.eps_spin.setValue(0.1)
    topic.size_spin.setValue(5)
    topic.show_step(history, 0)
    places, losses = topic._smoothed.getData()
    for index in (0, 200, 399):
        odds = 10 ** places[index]
        expected = -0.92 * math.log(odds / (odds + 4)) - 0.08 * math.log(1 / (odds + 4))
        assert losses[index] == pytest.approx(expected)
    assert topic._lowest.value() == pytest.approx(places[losses.argmin()], abs=0.01)
    assert topic._lowest.label.toPlainText() == "lowest at p = 0.9200"
    topic.eps_spin.setValue(0.0)
    topic.show_step(history, 0)
    np.testing.assert_allclose(*(curve.getData()[1] for curve in (topic._smoothed, topic._plain)))
    assert not topic._lowest.isVisible()


def test_the_readout_describes_what_is_pointed_at(topic: LabelSmoothingTopic, history: History, qtbot: QtBot) -> None:
    topic.eps_spin.setValue(0.1)
    topic.size_spin.setValue(5)
    topic.penalty.pointed.emit(QPointF(1.0, 0.0))
    qtbot.keyClick(topic.targets, Qt.Key.Key_Right)
    topic.show_step(history, 0)
    readout = topic.readout_label.text()
    assert "should get 0.0200." in readout and "10 times" in readout
    plain, smoothed = -math.log(10 / 14), -0.92 * math.log(10 / 14) - 0.08 * math.log(1 / 14)
    assert f"{smoothed:.3f} smoothed, {plain:.3f} plain" in readout


@pytest.mark.parametrize("zoom", [100, 200])
def test_names_cover_neither_each_other_nor_a_curve(
    topic: LabelSmoothingTopic, theme: Theme, history: History, zoom: int
) -> None:
    """Without smoothing, both curves are one; with a little, they end close together."""
    theme.set_zoom(zoom)
    for eps, height in ((0.0, 640), (0.01, 640), (0.1, 640), (0.9, 640), (0.01, 450)):
        topic.eps_spin.setValue(eps)
        topic.show_step(history, 0)
        topic.resize(topic.width(), height)
        topic.grab()
        names = [*topic._names.values(), *([topic._lowest.label] if eps else [])]
        for index, name in enumerate(names):
            message, rect = f"{name.toPlainText()}, ε = {eps}", name.sceneBoundingRect()
            letters = rect.adjusted(4, 4, -4, -4)  # without the padding
            assert topic.penalty.plotItem.vb.sceneBoundingRect().adjusted(-1, -1, 1, 1).contains(rect), message
            assert not any(letters.intersects(other.sceneBoundingRect()) for other in names[:index]), message
            for curve in topic._names:
                assert not runs_through(topic.penalty, curve, letters), message
