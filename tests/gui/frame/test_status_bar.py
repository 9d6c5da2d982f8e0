"""The line of figures at the bottom of the window."""

import re
from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from core.events import Progress, StateChanged
from gui.frame import time_left
from gui.frame.status_bar import compact, rough_time
from gui.main_window import MainWindow
from gui.theme import GRID
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.waiting import wait_for


def test_a_stage_is_shown_with_its_share_and_the_time_left(
    empty_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge, label = empty_window.context.bridge, empty_window.status_bar.stage_label
    bridge.emit_recorded([StateChanged(state="preparing", step=0)])
    shown = []
    for second, done, total in ((0.0, 0, 5000), (10.0, 1000, 5000), (11.0, 1100, None), (12.0, 0, None)):
        monkeypatch.setattr(time_left, "monotonic", lambda second=second: second)
        bridge.emit_recorded([Progress(stage="drawing train pairs", done=done, total=total)])
        shown.append(label.text())
    assert shown == [
        "Drawing train pairs 0 %",
        "Drawing train pairs 20 % · 40 s left",
        "Drawing train pairs 1,100",
        "Drawing train pairs",
    ]
    bridge.emit_recorded([StateChanged(state="empty", step=0)])
    assert label.isHidden()


def test_the_time_left_of_a_new_attempt_follows_from_its_own_pace(
    empty_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge, label = empty_window.context.bridge, empty_window.status_bar.stage_label
    for began, each in ((0.0, 10.0), (60.0, 2.0)):  # the first is broken off by an edit
        bridge.emit_recorded([StateChanged(state="preparing", step=0)])
        for chunk in range(3):
            monkeypatch.setattr(time_left, "monotonic", lambda second=began + chunk * each: second)
            bridge.emit_recorded([Progress(stage="drawing train pairs", done=1000 * (chunk + 1), total=13_000)])
    assert label.text() == "Drawing train pairs 23 % · 20 s left"


def test_the_cost_of_watching_is_shown_while_the_run_learns(
    window: MainWindow, qtbot: QtBot, wait_for_state: Callable[[str], None]
) -> None:
    label, transport = window.status_bar.watching_label, window.transport
    assert label.text() == ""
    window.context.workbench.edit("training.max_steps", 100_000)  # so that it does not end during the test
    qtbot.waitUntil(lambda: not_none(window.context.workbench.applied).training.max_steps == 100_000, timeout=WAIT_MS)
    wait_for_state("ready")
    transport.pace_slider.setValue(0)
    transport.learn_button.click()
    qtbot.waitUntil(lambda: re.fullmatch(r"watching \d+ % at this pace", label.text()) is not None, timeout=WAIT_MS)
    transport.pace_slider.setValue(transport.pace_slider.maximum())
    qtbot.waitUntil(lambda: re.fullmatch(r"watching \d+ %", label.text()) is not None, timeout=WAIT_MS)
    transport.learn_button.click()
    wait_for_state("paused")
    assert label.text() == ""
    bar, history = window.status_bar, window.context.bridge.history
    bar.refresh()
    assert bar.epoch_label.text() == f"epoch {history.curve('train/epoch')[1][-1]:.1f}"
    speed = history.curve("train/target_tokens_per_second")[1][-1]
    assert bar.speed_label.text() == f"{compact(float(speed))} target tok/s" and bar.speed_label.isVisible()
    assert "through the data" in bar.epoch_label.toolTip() and "not padding" in bar.speed_label.toolTip()
    assert "numbers in the model" in bar.size_label.toolTip() and "is trained" in bar.device_label.toolTip()
    assert "as a share of the time" in label.toolTip()


def test_large_numbers_are_shortened() -> None:
    assert [compact(number) for number in (999, 11_940, 931_000, 4_210_000)] == ["999", "11.9k", "931k", "4.21M"]
    assert [compact(number) for number in (0, 0.5, 999.4, 999.6, 999_600)] == ["0", "0.5", "999", "1k", "1M"]


def test_a_run_with_a_long_name_has_one_line_while_it_learns_at_any_zoom(
    window: MainWindow, qtbot: QtBot, wait_for_state: Callable[[str], None]
) -> None:
    bar, workbench = window.status_bar, window.context.workbench
    workbench.edit("training.max_steps", 100_000)
    qtbot.waitUntil(lambda: not_none(workbench.applied).training.max_steps == 100_000, timeout=WAIT_MS)
    wait_for_state("ready")
    window.resize(1280, 720)
    window.transport.pace_slider.setValue(0)
    window.transport.learn_button.click()
    qtbot.waitUntil(lambda: bar.watching_label.isVisible() and bar.run_label.isVisible(), timeout=WAIT_MS)
    bar.show_run("German to English, a larger warm-up, again")
    for zoom in (100, 150, 200):
        window.context.theme.set_zoom(zoom)
        qtbot.waitUntil(lambda: bar.run_label.width() >= window.context.theme.px(110), timeout=WAIT_MS)
        qtbot.waitUntil(lambda: bar.height() < 2 * bar.epoch_label.height(), timeout=WAIT_MS)
        assert bar.run_label.x() < bar.epoch_label.x() and bar.run_label.toolTip() == bar.run_label.text(), zoom
        assert bar.watching_label.isVisible() and bar.watching_label.geometry().right() <= bar.width(), zoom
    window.transport.learn_button.click()
    wait_for_state("paused")


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (89, "89 s"), (200, "3 min"), (9000, "2.5 h")])
def test_times_are_rounded(seconds: float, text: str) -> None:
    assert rough_time(seconds) == text


def test_a_second_line_of_figures_is_close_below_the_first(window: MainWindow, qtbot: QtBot) -> None:
    bar = window.status_bar
    window.context.theme.set_zoom(150)
    window.resize(window.minimumSize())
    first, last = bar.epoch_label, bar.device_label

    def is_below() -> bool:  # set each time, since the figures are updated twice a second
        bar.size_label.setText("257,575 parameters · 165 → 103 tokens, and so on to the end of the line")
        return last.y() > first.y()

    qtbot.waitUntil(is_below, timeout=WAIT_MS)
    assert last.y() - first.geometry().bottom() <= GRID + 1


def test_a_message_is_not_cut_if_there_is_room_and_adds_no_line(window: MainWindow, qtbot: QtBot) -> None:
    bar, label, message = window.status_bar, window.status_bar.message_label, window.context.bridge.message
    window.resize(1280, 720)
    qtbot.waitUntil(lambda: window.width() == 1280 and bar.device_label.isVisible(), timeout=WAIT_MS)
    height = bar.height()
    opened = "Opened at the checkpoint of step 500: Learn continues from there; the curves reach step 570"
    for sentence in ("Saved", opened, "x" * 400):
        message.emit(sentence)
        qtbot.waitUntil(label.isVisible, timeout=WAIT_MS)
        needed = min(label.fontMetrics().horizontalAdvance(sentence), bar.width() // 2)
        wait_for(qtbot, lambda needed: label.width() >= needed, needed)
        assert bar.height() == height, sentence
