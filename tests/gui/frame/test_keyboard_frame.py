"""Where the keyboard is can be seen, in pictures too."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.panel import Panel
from tests.gui.conftest import WAIT_MS


def frame_colour(panel: Panel, window: MainWindow) -> str:
    """What is painted in the middle of its upper edge."""
    window.repaint()
    return panel.grab().toImage().pixelColor(panel.width() // 2, 0).name()


def test_the_picture_that_has_the_keyboard_is_framed(qtbot: QtBot, window: MainWindow) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=WAIT_MS)
    blue, train = window.context.theme.colours.training, window.train_view
    panels: list[Panel] = [train.attention_map, train.head_grid]
    for panel in panels:
        panel.canvas.setFocus()
        assert [frame_colour(one, window) == blue for one in panels] == [one is panel for one in panels]
    window.setFocus()
    assert not any(frame_colour(one, window) == blue for one in panels)
    panels[1].canvas.setFocus()
    window.transport.seed_edit.setFocus()  # a field shows it itself
    assert not any(frame_colour(one, window) == blue for one in panels)
    panels[1].canvas.setFocus()  # and has it as the window closes
