"""Spin boxes beside choices."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QSpinBox
from pytestqt.qtbot import QtBot

from gui.bridge import EngineBridge
from gui.panels.anatomy.label_smoothing import LabelSmoothingTopic
from gui.panels.translation.beam_panel import BeamPanel
from gui.playhead import Playhead
from gui.sentences.typed_sentence import TypedSentence
from gui.theme import ZOOMS, Theme
from gui.widgets.spins import fitted


@pytest.mark.parametrize("points", [9.0, 14.0])
def test_a_spin_box_is_as_high_as_a_choice_and_padded_as_one_at_every_zoom(qtbot: QtBot, points: float) -> None:
    theme = Theme("light")
    theme._points = points
    spin = fitted(QSpinBox(), theme)
    qtbot.addWidget(spin)
    for zoom in ZOOMS:
        theme.set_zoom(zoom)
        combo = QComboBox()
        qtbot.addWidget(combo)
        assert spin.height() == combo.sizeHint().height(), zoom
        assert spin.lineEdit().textMargins().left() == theme.px(8)


def test_its_numbers_are_written_as_all_others(qtbot: QtBot) -> None:
    theme = Theme("light")
    whole, part = fitted(QSpinBox(), theme), fitted(QDoubleSpinBox(), theme)
    for widget in (whole, part):
        qtbot.addWidget(widget)
    whole.setRange(1, 20_000)
    whole.setValue(4_000)
    part.setValue(0.6)
    assert (whole.text(), part.text()) == ("4,000", "0.60")


@pytest.mark.parametrize(("typed", "taken"), [("0,2", 0.2), ("0.25", 0.25), ("0,25", 0.25), (",5", 0.5)])
def test_a_comma_is_the_point_of_a_decimal_number(qtbot: QtBot, bridge: EngineBridge, typed: str, taken: float) -> None:
    theme = Theme("light")
    beam = BeamPanel(theme, TypedSentence(bridge, Playhead()), bridge)
    for panel, spin in ((beam, beam.penalty_spin), (topic := LabelSmoothingTopic(theme), topic.eps_spin)):
        qtbot.addWidget(panel)
        spin.selectAll()
        QTest.keyClicks(spin, typed)
        assert spin.value() == taken and "," not in spin.text()
        QTest.keyClick(spin, Qt.Key.Key_Return)
        assert spin.value() == taken


def test_a_comma_still_parts_the_thousands_of_a_whole_number(qtbot: QtBot) -> None:
    spin = fitted(QSpinBox(), Theme("light"))
    qtbot.addWidget(spin)
    spin.setRange(1, 20_000)
    spin.selectAll()
    QTest.keyClicks(spin, "2,000")
    assert (spin.value(), spin.text()) == (2000, "2,000")
