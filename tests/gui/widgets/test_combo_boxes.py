"""Combo boxes whose texts may need more room than there is."""

from __future__ import annotations

from PySide6.QtWidgets import QStyleOptionComboBox
from pytestqt.qtbot import QtBot

from gui.widgets.combo_boxes import SentenceCombo


def test_a_sentence_that_is_too_long_ends_with_an_ellipsis(qtbot: QtBot) -> None:
    combo, option = SentenceCombo(), QStyleOptionComboBox()
    qtbot.addWidget(combo)
    combo.addItem("am Abend kann ich meinen netten Bruder nicht sehen & hören")
    combo.resize(300, 28)
    combo.initStyleOption(option)
    shown = option.currentText
    assert shown.startswith("am Abend kann") and shown.endswith("…")
    combo.resize(900, 28)
    combo.initStyleOption(option)
    assert option.currentText == combo.currentText()
