"""The strip with the run's steps below the views without curves: dragging, replay and keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.qtbot import QtBot

from core.history import History
from gui.main_window import VIEWS, MainWindow
from gui.panels.learning.time_strip import TimeStrip
from gui.theme import Theme
from tests.gui.conftest import WAIT_MS


@pytest.fixture
def strip(make_step_panel: Callable[[type[TimeStrip], int], TimeStrip]) -> TimeStrip:
    """The strip of 400 steps, the playhead live."""
    return make_step_panel(TimeStrip, 40)


@pytest.fixture
def attentive(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window after five steps, with the Attention view open."""
    window.show_view(VIEWS.index(type(window.attention_view)))
    window.context.workbench.learn(5)
    bridge = window.context.bridge
    qtbot.waitUntil(lambda: bridge.state == "paused" and bridge.history.probes.steps == [*range(6)], timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.context.playhead.live_step == 5, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not window.time_strip.is_dirty, timeout=WAIT_MS)
    return window


def point_at(strip: TimeStrip, step: float) -> QPoint:
    """The pixel at a step of the ticks, below their marks."""
    return strip.ticks.mapFromScene(strip.ticks.plotItem.vb.mapViewToScene(QPointF(step, 0.2)))


def test_it_is_below_the_views_that_follow_the_playhead_without_curves(window: MainWindow) -> None:
    under = []
    for index, view in enumerate(window.views):
        window.show_view(index)
        if window.time_strip.isVisible():
            under.append(view.title)
    assert under == ["Attention", "Translate", "Anatomy"]


def test_it_is_low(attentive: MainWindow) -> None:
    assert attentive.size().toTuple() == (1280, 720)
    assert attentive.time_strip.height() <= 32


def test_a_click_shows_an_earlier_step(attentive: MainWindow, qtbot: QtBot) -> None:
    strip, chip = attentive.time_strip, attentive.transport.live_button
    qtbot.mouseClick(strip.ticks.viewport(), Qt.MouseButton.LeftButton, pos=point_at(strip, 2))
    assert attentive.context.playhead.step == 2
    title = attentive.attention_view.map.title_label
    qtbot.waitUntil(lambda: title.text().endswith("step 2"), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: chip.text() == "viewing 2 · LIVE (5)", timeout=WAIT_MS)
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: title.text().endswith("step 5") and not chip.isVisible(), timeout=WAIT_MS)


def test_the_playhead_can_be_dragged(strip: TimeStrip, history: History, qtbot: QtBot) -> None:
    view, start, end = strip.ticks.viewport(), point_at(strip, 400), point_at(strip, 150)
    qtbot.mouseMove(view, start)
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    for share in range(1, 11):
        qtbot.mouseMove(view, start + (end - start) * (share / 10))
        qtbot.wait(20)
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)
    assert strip._playhead.step == pytest.approx(150, abs=5)


def test_keys_move_from_probe_to_probe(strip: TimeStrip, qtbot: QtBot) -> None:
    strip.setFocus()
    seen = []
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End):
        qtbot.keyClick(strip, key)
        seen.append(strip._playhead.step)
    assert seen == [300, 100, 300, 0, 400] and strip._playhead.is_live
    assert strip.accessibleName() == "Steps of the run" and "probe to probe" in strip.accessibleDescription()


def test_its_axis_keeps_its_place_when_the_view_leaves_live(strip: TimeStrip, history: History, qtbot: QtBot) -> None:
    before = strip.ticks.geometry()
    strip._playhead.view(100)
    strip.show_step(history, 100)
    strip.grab()
    assert strip.ticks.geometry() == before


def test_its_buttons_replay_and_rewind_and_hiding_it_returns_the_focus(attentive: MainWindow, qtbot: QtBot) -> None:
    strip, replay = attentive.time_strip, attentive.context.replay
    for button, other, name in (
        (strip.rewind_button, strip.replay_button, "rewind"),
        (strip.replay_button, strip.rewind_button, "replay"),
    ):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert replay.is_playing and button.accessibleName() == f"Stop the {name}"
        assert button.toolTip().startswith("Stop here") and other.accessibleName() in ("Replay", "Rewind")
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert not replay.is_playing and button.accessibleName() == name.capitalize()
    attentive.activateWindow()
    strip.setFocus()
    attentive.show_view(0)
    assert attentive.focusWidget() is attentive


def test_it_is_drawn_in_the_colours_of_the_theme(strip: TimeStrip, theme: Theme) -> None:
    theme.set_mode("dark")
    assert strip.ticks.grab().toImage().pixelColor(strip.ticks.width() - 3, 3) == theme.colour("surface")
    assert strip.grab().toImage().pixelColor(2, strip.height() // 2) == theme.colour("surface")


def test_with_nothing_prepared_it_says_what_to_do(strip: TimeStrip) -> None:
    strip.show_step(History(), 0)
    assert strip.empty_label.isVisible()
