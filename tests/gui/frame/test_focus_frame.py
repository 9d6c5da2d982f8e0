"""A frame shows which panel has the keyboard focus."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.main_window import VIEWS, MainWindow
from gui.panel import Panel
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none


def frame_colour(panel: Panel, window: MainWindow) -> str:
    """The colour in the middle of the panel's upper edge."""
    window.repaint()
    return panel.grab().toImage().pixelColor(panel.width() // 2, 0).name()


def test_the_picture_with_the_keyboard_focus_is_framed(qtbot: QtBot, window: MainWindow) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=WAIT_MS)
    blue, train = window.context.theme.colours.training, window.train_view
    canvases: dict[Panel, QWidget] = {one: one.canvas for one in (train.attention_map, train.head_grid)}
    for panel, canvas in canvases.items():
        canvas.setFocus()
        assert [one for one in canvases if frame_colour(one, window) == blue] == [panel]
    window.setFocus()
    assert not any(frame_colour(one, window) == blue for one in canvases)
    train.head_grid.canvas.setFocus()
    window.transport.seed_edit.setFocus()  # a field shows the focus itself
    assert not any(frame_colour(one, window) == blue for one in canvases)
    train.head_grid.canvas.setFocus()  # the window closes with a focused picture


def test_a_scrolled_topic_is_framed_while_its_scroll_area_has_the_focus(qtbot: QtBot, window: MainWindow) -> None:
    view = window.anatomy_view
    window.activateWindow()
    window.show_view(VIEWS.index(type(view)))
    qtbot.waitUntil(lambda: window.isActiveWindow() and not view.topic.is_dirty, timeout=WAIT_MS)
    area = not_none(view.pages.currentWidget())
    area.setFocus()
    qtbot.waitUntil(area.hasFocus, timeout=WAIT_MS)
    assert frame_colour(view.topic, window) == window.context.theme.colours.training
