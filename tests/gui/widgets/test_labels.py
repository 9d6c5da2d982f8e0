"""Texts that are shown literally."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gui.widgets.labels import literal_tooltip


@pytest.mark.parametrize(
    "text", ["<p>Click <b>OK</b>", "a &lt;b", "R&D", "two  spaces < one", "of a line\n<i>and</i> a second", "plain"]
)
def test_a_tooltip_shows_every_text_literally(qtbot: QtBot, text: str) -> None:
    label = QLabel(literal_tooltip(text))  # a label detects rich text as a tooltip does
    qtbot.addWidget(label)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setSelection(0, len(text))
    assert label.selectedText().replace("\u2028", "\n").replace("\u2029", "\n") == text
