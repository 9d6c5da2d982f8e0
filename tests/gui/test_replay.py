"""Replay of a run, probe by probe, forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui import replay
from gui.main_window import VIEWS, MainWindow
from gui.playhead import Playhead
from gui.replay import Replay
from tests.gui.conftest import WAIT_MS


@pytest.fixture(autouse=True)
def short_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replay without delays."""
    monkeypatch.setattr(replay, "TOTAL_MS", 0)


def played(steps: range) -> tuple[Playhead, Replay]:
    """A live playhead at step 100 and a replay of these steps."""
    playhead = Playhead()
    playhead.advance(100)
    return playhead, Replay(playhead, lambda: steps)


def learn_5_steps(window: MainWindow, qtbot: QtBot) -> None:
    """Take five steps, each with a probe, and wait until the window has all of them."""
    window.context.workbench.learn(5)
    bridge = window.context.bridge
    qtbot.waitUntil(lambda: bridge.state == "paused" and bridge.history.probes.steps == [*range(6)], timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.context.playhead.live_step == 5, timeout=WAIT_MS)


def test_it_plays_every_probe_of_a_run_and_is_live_at_the_end(qtbot: QtBot, window: MainWindow) -> None:
    playhead, replay = window.context.playhead, window.context.replay
    button = window.train_view.curves.replay_button
    learn_5_steps(window, qtbot)
    seen: list[int] = []
    playhead.moved.connect(seen.append)
    qtbot.keyClick(window, Qt.Key.Key_P)
    assert replay.is_playing and button.accessibleName() == "Stop the replay"
    qtbot.waitUntil(lambda: not replay.is_playing, timeout=WAIT_MS)
    assert seen == [0, 1, 2, 3, 4, 5, 5] and playhead.is_live  # 5 again, since it goes live
    assert button.accessibleName() == "Replay"
    qtbot.waitUntil(lambda: "step 5" in window.train_view.attention_map.title_label.text(), timeout=WAIT_MS)


def test_it_plays_in_a_view_without_curves(qtbot: QtBot, window: MainWindow) -> None:
    playhead, replay = window.context.playhead, window.context.replay
    window.show_view(VIEWS.index(type(window.attention_view)))
    learn_5_steps(window, qtbot)
    seen: list[int] = []
    playhead.moved.connect(seen.append)
    qtbot.keyClick(window, Qt.Key.Key_P)
    qtbot.waitUntil(lambda: not replay.is_playing, timeout=WAIT_MS)
    assert seen == [0, 1, 2, 3, 4, 5, 5]


def test_another_run_is_not_played_before_it_has_probes(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    playhead, replay = window.context.playhead, window.context.replay
    learn_5_steps(window, qtbot)
    qtbot.waitUntil(lambda: not window.train_view.curves.is_dirty, timeout=WAIT_MS)
    window.show_view(VIEWS.index(type(window.attention_view)))
    playhead.view(2)
    replay.toggle()
    window.context.workbench.reset()
    wait_for_state("ready")
    assert not replay.is_playing and playhead.is_live
    qtbot.keyClick(window, Qt.Key.Key_P)
    assert not replay.is_playing and playhead.is_live


def test_it_plays_from_the_viewed_step_and_stops_in_place(qtbot: QtBot) -> None:
    playhead, replay = played(range(0, 101, 10))
    playhead.view(35)
    playhead.moved.connect(lambda step: replay.toggle() if step == 50 else None)
    replay.toggle()
    qtbot.waitUntil(lambda: not replay.is_playing, timeout=WAIT_MS)
    assert playhead.step == 50 and not playhead.is_live


@pytest.mark.parametrize(("num_probes", "interval"), [(3, 500), (21, 250), (1000, 125)])
def test_few_probes_are_shown_longer(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, num_probes: int, interval: int
) -> None:
    monkeypatch.undo()
    playhead = Playhead()
    playhead.advance(num_probes - 1)
    replay = Replay(playhead, lambda: range(num_probes))
    for toggle in (replay.toggle, replay.stop, replay.toggle_rewind):
        toggle()
        assert replay._timer.interval() == interval
    playhead.view(2)
    replay.toggle_rewind()
    replay.toggle_rewind()
    assert replay._timer.interval() == 500  # two probes are left in that direction
    replay.stop()


def test_its_buttons_say_that_there_is_nothing_to_play_until_a_step_is_taken(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    curves = window.train_view.curves
    buttons = curves.replay_button, curves.rewind_button
    reason = "There is nothing to play yet: no step has been taken"
    assert [(one.isEnabled(), one.toolTip()) for one in buttons] == [(False, reason)] * 2
    learn_5_steps(window, qtbot)
    assert all(one.isEnabled() and one.toolTip() != reason for one in buttons)
    window.activateWindow()
    curves.replay_button.setFocus()
    window.context.workbench.reset()
    wait_for_state("ready")
    assert [(one.isEnabled(), one.toolTip()) for one in buttons] == [(False, reason)] * 2
    assert window.focusWidget() is window  # so that Space learns


def test_it_does_not_play_without_probes(qtbot: QtBot) -> None:
    playhead, replay = played(range(0))
    replay.toggle()
    assert not replay.is_playing and playhead.is_live


def test_going_live_stops_it(qtbot: QtBot) -> None:
    playhead, replay = played(range(0, 101, 10))
    replay.toggle()
    assert replay.is_playing and playhead.step == 0
    playhead.go_live()
    qtbot.waitUntil(lambda: not replay.is_playing, timeout=WAIT_MS)
    assert playhead.is_live


def test_rewinding_stops_at_the_first_probe(qtbot: QtBot, window: MainWindow) -> None:
    playhead, replay = window.context.playhead, window.context.replay
    learn_5_steps(window, qtbot)
    seen: list[int] = []
    playhead.moved.connect(seen.append)
    qtbot.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: not replay.is_playing, timeout=WAIT_MS)
    assert seen == [5, 4, 3, 2, 1, 0] and not playhead.is_live
    qtbot.waitUntil(lambda: "step 0" in window.train_view.attention_map.title_label.text(), timeout=WAIT_MS)


def test_rewinding_at_the_first_probe_begins_at_the_newest_step(qtbot: QtBot) -> None:
    playhead, replay = played(range(0, 100, 30))
    playhead.view(0)
    seen: list[int] = []
    playhead.moved.connect(seen.append)
    replay.toggle_rewind()
    qtbot.waitUntil(lambda: not replay.is_playing, timeout=WAIT_MS)
    assert seen == [100, 90, 60, 30, 0]


def test_the_other_direction_turns_it_around_and_the_same_stops_it(qtbot: QtBot) -> None:
    playhead, replay = played(range(0, 101, 10))
    turns = {70: replay.toggle_rewind, 50: replay.toggle_rewind}
    seen: list[int] = []

    def turn(step: int) -> None:
        seen.append(step)
        if step in turns and seen.count(step) == 1:
            turns[step]()

    playhead.view(60)
    playhead.moved.connect(turn)
    replay.toggle()
    qtbot.waitUntil(lambda: not replay.is_playing, timeout=WAIT_MS)
    assert seen == [60, 70, 70, 60, 50] and not playhead.is_live


def test_going_live_stops_rewinding(qtbot: QtBot) -> None:
    playhead, replay = played(range(0, 101, 10))
    replay.toggle_rewind()
    playhead.go_live()
    qtbot.waitUntil(lambda: not replay.is_playing, timeout=WAIT_MS)
    assert playhead.is_live


def test_another_run_stops_it(qtbot: QtBot) -> None:
    playhead, replay = played(range(0, 101, 10))
    replay.toggle()
    playhead.restart()
    assert not replay.is_playing


def test_a_window_that_closes_plays_nothing(qtbot: QtBot, window: MainWindow) -> None:
    replay = window.context.replay
    learn_5_steps(window, qtbot)
    replay.toggle()
    assert replay.is_playing
    window.shut_down()
    assert not replay.is_playing
