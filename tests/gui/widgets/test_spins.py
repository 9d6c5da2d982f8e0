"""Spin boxes beside choices."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QSpinBox
from pytestqt.qtbot import QtBot

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
