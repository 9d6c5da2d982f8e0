"""A run played back, probe by probe."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.playhead import Playhead
from gui.replay import Replay
from tests.gui.conftest import WAIT_MS


def test_it_plays_every_probe_of_a_run_and_is_live_at_the_end(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    playhead, curves = window.context.playhead, window.train_view.curves
    window.context.workbench.learn(5)
    wait_for_state("paused")
    qtbot.waitUntil(lambda: list(curves.replay.steps) == [0, 1, 2, 3, 4, 5], timeout=WAIT_MS)
    seen: list[int] = []
    playhead.moved.connect(seen.append)
    qtbot.keyClick(window, Qt.Key.Key_P)
    assert curves.replay.is_playing and curves.replay_button.accessibleName() == "Stop the replay"
    qtbot.waitUntil(lambda: not curves.replay.is_playing, timeout=WAIT_MS)
    assert seen == [0, 1, 2, 3, 4, 5, 5] and playhead.is_live  # the last time since it is live again
    assert curves.replay_button.accessibleName() == "Replay"
    qtbot.waitUntil(lambda: "step 5" in window.train_view.attention_map.title_label.text(), timeout=WAIT_MS)


def test_it_goes_on_from_the_viewed_step_and_stops_there(qtbot: QtBot) -> None:
    playhead = Playhead()
    playhead.advance(100)
    replay = Replay(playhead)
    replay.toggle()
    assert not replay.is_playing  # there is nothing to look at
    replay.steps = range(0, 101, 10)
    playhead.view(35)
    playhead.moved.connect(lambda step: replay.toggle() if step == 50 else None)
    replay.toggle()
    qtbot.waitUntil(lambda: not replay.is_playing, timeout=WAIT_MS)
    assert playhead.step == 50 and not playhead.is_live


def test_live_ends_it(qtbot: QtBot) -> None:
    playhead = Playhead()
    playhead.advance(100)
    replay = Replay(playhead)
    replay.steps = range(0, 101, 10)
    replay.toggle()
    assert replay.is_playing and playhead.step == 0
    playhead.go_live()
    qtbot.waitUntil(lambda: not replay.is_playing, timeout=WAIT_MS)
    assert playhead.is_live


def test_a_window_that_closes_plays_nothing(window: MainWindow) -> None:
    replay = window.train_view.curves.replay
    replay.steps = (0,)
    replay.toggle()
    assert replay.is_playing
    window.close_down()
    assert not replay.is_playing
