"""The picture of positional encodings shows the numbers of the formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import cos, sin

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.history import History
from core.settings.presets import read_preset
from gui.panels.anatomy.positions import PositionsTopic
from gui.theme import Theme
from tests.gui.panels.conftest import prepared


@pytest.fixture
def topic(theme: Theme, history: History, stage: Callable[[QWidget, int, int], None]) -> PositionsTopic:
    made = PositionsTopic(theme)
    stage(made, 900, 640)
    made.show_step(history, 0)
    return made


def direct(position: int, dimension: int, width: int) -> float:
    angle = position / 10000 ** (dimension // 2 * 2 / width)
    return cos(angle) if dimension % 2 else sin(angle)


def test_the_width_is_the_models_until_the_user_changes_it(topic: PositionsTopic, history: History) -> None:
    assert history.prepared is not None
    assert topic.width_spin.value() == history.prepared.config.model.d_model
    topic.width_spin.setValue(8)
    topic.show_step(history, 0)
    assert topic.width_spin.value() == 8 and topic._image.image.shape == (8, 100)


def test_the_width_may_be_that_of_any_model(topic: PositionsTopic, history: History) -> None:
    history.apply(replace(prepared(), config=read_preset("toy_german_english", ("model.d_model=8192",))))
    topic.show_step(history, 0)
    assert topic.width_spin.text() == "8,192" and topic._image.image.shape == (8192, 100)


def test_the_table_is_drawn_for_each_width_while_one_is_typed(
    topic: PositionsTopic, history: History, qtbot: QtBot
) -> None:
    topic.width_spin.selectAll()
    for key, width in (("5", 5), ("1", 51), ("2", 512)):
        qtbot.keyClicks(topic.width_spin, key)
        topic.show_step(history, 0)
        expected = [direct(7, dimension, width) for dimension in range(width)]
        np.testing.assert_allclose(topic._image.image[:, 7], expected, atol=1e-12)


def test_a_value_close_to_zero_has_no_minus(topic: PositionsTopic, history: History) -> None:
    topic.positions_spin.setValue(512)
    topic.wave_spin.setValue(0)
    topic.show_step(history, 0)
    topic.map.pointed.emit(QPointF(355.0, 0.0))  # whose sine is -0.00003
    topic.show_step(history, 0)
    assert topic.readout_label.text().startswith("Position 355, dimensions 0 to 4: +0.000, ")


def test_the_topmost_number_of_the_axis_is_not_cut(topic: PositionsTopic) -> None:
    number = QFontMetricsF(topic.theme.font(0.85)).height()
    assert topic.map.plotItem.vb.sceneBoundingRect().top() >= number / 2


def test_map_and_waves_follow_the_formula(topic: PositionsTopic, history: History) -> None:
    topic.positions_spin.setValue(64)
    topic.width_spin.setValue(8)
    topic.wave_spin.setValue(3)
    topic.show_step(history, 0)
    expected = np.array([[direct(position, dimension, 8) for position in range(64)] for dimension in range(8)])
    np.testing.assert_allclose(topic._image.image, expected, atol=1e-12)
    for dimension, curve in enumerate(topic._curves, start=3):
        np.testing.assert_allclose(curve.getData()[1], expected[dimension], atol=1e-12)
    assert [name.toPlainText() for name in topic._names] == ["3 cos", "4 sin", "5 cos", "6 sin", "7 cos"]


def test_the_names_of_the_curves_are_in_the_order_of_their_ends(topic: PositionsTopic, history: History) -> None:
    for first in (0, 4, 11):
        topic.wave_spin.setValue(first)
        topic.show_step(history, 0)
        ends = [curve.getData()[1][-1] for curve in topic._curves]
        heights = [name.pos().y() for name in topic._names]
        assert np.argsort(heights).tolist() == np.argsort(ends).tolist()
        np.testing.assert_allclose(sorted(heights), (-0.8, -0.4, 0.0, 0.4, 0.8), atol=1e-12)


def test_the_readout_says_that_cosines_are_dashed(topic: PositionsTopic) -> None:
    assert "; dashed: cosine." in topic.readout_label.text()
    dashed = [curve.opts["pen"].style() == Qt.PenStyle.DashLine for curve in topic._curves]
    assert dashed == ["cos" in name.toPlainText() for name in topic._names]


def test_a_vector_of_fewer_dimensions_has_fewer_waves(topic: PositionsTopic, history: History) -> None:
    for width, visible in ((2, 2), (16, 5)):
        topic.width_spin.setValue(width)
        topic.show_step(history, 0)
        assert [item.isVisible() for item in topic._curves] == [index < visible for index in range(5)]
        assert [item.isVisible() for item in topic._names] == [index < visible for index in range(5)]
        assert f"dimensions 0 to {visible - 1}: " in topic.readout_label.text()


def test_mouse_and_keys_choose_position_and_waves(topic: PositionsTopic, history: History, qtbot: QtBot) -> None:
    topic.map.clicked.emit(QPointF(7.2, 4.9))
    topic.map.pointed.emit(QPointF(7.2, 4.9))
    topic.show_step(history, 0)
    assert topic.readout_label.text().startswith("Position 7, dimensions 4 to 8: ")
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down):
        qtbot.keyClick(topic, key)
    topic.show_step(history, 0)
    width = topic.width_spin.value()
    figures = ", ".join(f"{direct(8, dimension, width):+.3f}" for dimension in range(5, 10))
    assert topic.readout_label.text().startswith(f"Position 8, dimensions 5 to 9: {figures}.")
