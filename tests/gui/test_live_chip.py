"""The chip that says which step is viewed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.live_chip import LiveChip
from gui.playhead import Playhead


def test_it_says_both_steps_off_live_and_goes_back(qtbot: QtBot) -> None:
    playhead = Playhead()
    chip = LiveChip(playhead)
    qtbot.addWidget(chip)
    playhead.advance(1640)
    playhead.view(1200)
    chip.refresh()
    assert chip.text() == "viewing 1,200 · LIVE (1,640)" and chip.accessibleName() == "Go live"
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert playhead.is_live
    chip.refresh()
    assert chip.text() == "LIVE"
