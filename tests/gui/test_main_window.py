"""The window in use: type, click, learn, pause, close."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QSlider,
    QTableWidget,
    QToolTip,
)
from pytestqt.qtbot import QtBot

from core.engine import Engine
from core.events import StateChanged, Trouble
from core.plugins_host.plugin_info import PluginInfo
from core.requests import Stop
from core.run_folder import RunFolder, list_runs
from gui.frame.resume_banner import interrupted_run
from gui.main_window import IGNORE_SPACE_MS, MainWindow
from gui.panel import Panel
from gui.panels.translation.sentence_row import SentenceRow
from gui.runs.rows import example_path
from gui.view import View
from tests.gui.conftest import WAIT_MS
from tests.gui.legible import cut_texts
from tests.gui.not_none import child_of, not_none
from tests.gui.waiting import wait_for
from tests.gui.windows import opened_window

Wait = Callable[[str], None]


def test_the_window_is_filled_before_learn(qtbot: QtBot, window: MainWindow) -> None:
    row = window.train_view.sentence_row
    qtbot.waitUntil(lambda: bool(row.source_label.text()), timeout=WAIT_MS)
    assert window.transport.learn_button.isEnabled()
    assert window.transport.learn_button.text() == "Learn"
    assert not window.transport.finish_button.isEnabled()
    assert "parameters" in window.status_bar.size_label.text()
    assert window.status_bar.device_label.text().endswith(("float32", "bfloat16"))
    assert "precision: " in window.status_bar.device_label.toolTip()
    assert not window.trouble_strip.isVisible()


def test_keys_go_through_the_sentences_and_their_references(qtbot: QtBot, window: MainWindow) -> None:
    row, sentences = window.train_view.sentence_row, not_none(window.context.bridge.history.probes.at(0)).sentences
    qtbot.waitUntil(lambda: bool(row.source_label.text()), timeout=WAIT_MS)
    for key, index in ((Qt.Key.Key_BracketRight, 1), (Qt.Key.Key_BracketLeft, 0)):
        qtbot.keyClick(window, key)
        assert window.context.selection.chosen.sentence == sentences[index].source
        wait_for(qtbot, lambda row, text: row.position_label.text() == text, row, f"{index + 1}/{len(sentences)}")
        assert row.source_label.text() == sentences[index].source
        assert row.reference_label.text() == sentences[index].reference


def test_keys_open_every_view_in_the_order_of_the_rail_and_change_the_look(
    qtbot: QtBot, empty_window: MainWindow
) -> None:
    window, theme, control, opened = empty_window, empty_window.context.theme, Qt.KeyboardModifier.ControlModifier, []
    for key in (Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_4, Qt.Key.Key_5, Qt.Key.Key_6, Qt.Key.Key_7, Qt.Key.Key_1):
        qtbot.keyClick(window, key, control)
        view = window.pages.currentWidget()
        assert isinstance(view, View)
        opened.append(view.title)
    assert opened == ["Attention", "Translate", "Data", "Anatomy", "Runs", "Plugins", "Train"]
    looks = []
    for act in (
        lambda: qtbot.keyClick(window, Qt.Key.Key_D, control),
        lambda: qtbot.mouseClick(window.transport.mode_button, Qt.MouseButton.LeftButton),
        lambda: qtbot.keyClick(window, Qt.Key.Key_Minus, control),
        lambda: qtbot.keyClick(window, Qt.Key.Key_0, control),
    ):
        act()
        looks.append((theme.mode, theme.zoom))
    assert looks == [("dark", 100), ("light", 100), ("light", 90), ("light", 100)]


def test_space_learns_as_the_window_opens_and_pauses(qtbot: QtBot, window: MainWindow, wait_for_state: Wait) -> None:
    window.context.workbench.edit("training.max_steps", 100_000)
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None, timeout=WAIT_MS)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    wait_for_state("learning")
    assert window.transport.learn_button.text() == "Pause"
    qtbot.waitUntil(lambda: window.context.bridge.history.last_step >= 2, timeout=WAIT_MS)
    qtbot.keyClick(window, Qt.Key.Key_Space)
    wait_for_state("paused")
    assert window.context.bridge.history.last_step < 100_000


def test_holding_space_acts_once(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    toggled: list[None] = []
    monkeypatch.setattr(window.context.workbench, "toggle", lambda: toggled.append(None))
    for is_repeated in (False, True, True):
        QApplication.sendEvent(
            window, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Space, Qt.KeyboardModifier(0), " ", is_repeated)
        )
    assert len(toggled) == 1


def test_space_just_after_the_end_asks_for_no_more_steps(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.setFocus()
    with qtbot.waitSignal(window.context.bridge.run_finished, timeout=WAIT_MS):  # sometimes a tick after the state
        qtbot.keyClick(window, Qt.Key.Key_Space)
    with monkeypatch.context() as patch:
        patch.setattr("gui.main_window.IGNORE_SPACE_MS", 100 * WAIT_MS)  # on a busy machine, the end may be long ago
        qtbot.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window._since_run_end.hasExpired(IGNORE_SPACE_MS), timeout=WAIT_MS)
    assert window.context.bridge.state == "finished" and window.context.bridge.history.last_step == 40
    qtbot.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.context.bridge.history.last_step > 40, timeout=WAIT_MS)


def test_ten_steps_are_taken_and_viewing_is_independent_of_training(
    qtbot: QtBot, window: MainWindow, wait_for_state: Wait
) -> None:
    qtbot.mouseClick(window.transport.step_buttons[1], Qt.MouseButton.LeftButton)
    wait_for_state("paused")
    qtbot.waitUntil(lambda: window.context.playhead.step == 10, timeout=WAIT_MS)
    assert len(window.context.bridge.history.curve("train/loss")[0]) == 10
    window.context.playhead.view(3)
    assert "viewing 3" in window.transport.live_button.text()
    window.context.workbench.learn(5)
    qtbot.waitUntil(lambda: window.context.playhead.live_step == 15, timeout=WAIT_MS)
    assert window.context.playhead.step == 3
    qtbot.mouseClick(window.transport.live_button, Qt.MouseButton.LeftButton)
    assert window.context.playhead.step == 15 and window.transport.live_button.isHidden()
    window.context.playhead.view(4)
    qtbot.keyClick(window, Qt.Key.Key_L)
    assert window.context.playhead.step == 15
    window.context.playhead.view(3)
    wait_for_state("paused")
    qtbot.mouseClick(window.transport.step_buttons[0], Qt.MouseButton.LeftButton)  # a step is taken to be seen
    assert window.context.playhead.is_live
    qtbot.waitUntil(lambda: window.context.playhead.step == 16, timeout=WAIT_MS)


def test_learn_and_pause_leave_the_view_where_it_is(qtbot: QtBot, window: MainWindow, wait_for_state: Wait) -> None:
    window.context.workbench.learn(5)
    wait_for_state("paused")
    window.context.playhead.view(3)
    window.transport.pace_slider.setValue(2)  # so that the run does not end before it is paused
    for state in ("learning", "paused"):
        qtbot.mouseClick(window.transport.learn_button, Qt.MouseButton.LeftButton)
        wait_for_state(state)
        qtbot.waitUntil(lambda: window.context.playhead.live_step > 5, timeout=WAIT_MS)
        assert window.context.playhead.step == 3


def test_learn_continues_after_the_last_step(qtbot: QtBot, window: MainWindow, wait_for_state: Wait) -> None:
    qtbot.mouseClick(window.transport.learn_button, Qt.MouseButton.LeftButton)
    wait_for_state("finished")
    assert window.transport.learn_button.text() == "1,000 more"
    assert window.transport.learn_button.toolTip().startswith("Continue for 1,000 more steps (Space)")
    qtbot.mouseClick(window.transport.learn_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.context.bridge.history.last_step > 40, timeout=WAIT_MS)
    assert window.transport.learn_button.toolTip() == "Learn, or pause (Space)"


def test_escape_closes_my_sentence_and_gives_the_focus_back(qtbot: QtBot, window: MainWindow) -> None:
    row = window.train_view.sentence_row
    window.activateWindow()
    window.tour.start()  # the field gets Esc first
    row.add_button.setFocus()
    qtbot.keyClick(row.add_button, Qt.Key.Key_Space)
    qtbot.waitUntil(row.add_edit.hasFocus, timeout=WAIT_MS)
    qtbot.keyClicks(row.add_edit, "1 2")
    qtbot.keyClick(row.add_edit, Qt.Key.Key_Escape)
    assert not row.add_edit.isVisible() and row.add_button.hasFocus()
    assert window.tour.isVisible() and row.add_edit.text() == "1 2"


def test_my_sentence_is_followed_and_a_refused_one_stays_to_be_corrected(qtbot: QtBot, window: MainWindow) -> None:
    window.activateWindow()
    for index, view in enumerate((window.train_view, window.attention_view)):
        window.show_view(index)
        row, corrected = child_of(view, SentenceRow), f"1 {index + 1} 3"
        qtbot.mouseClick(row.add_button, Qt.MouseButton.LeftButton)
        row.add_edit.setText("1 " * 100)
        qtbot.keyClick(row.add_edit, Qt.Key.Key_Return)
        qtbot.waitUntil(window.trouble_strip.isVisible, timeout=WAIT_MS)
        assert "101 tokens" in window.trouble_strip.sentence.text(), view.title
        window.trouble_strip.dismiss()
        qtbot.waitUntil(row.add_edit.hasFocus, timeout=WAIT_MS)
        assert row.add_edit.text() == ("1 " * 100).strip(), view.title
        row.add_edit.clear()
        qtbot.keyClicks(row.add_edit, corrected)
        qtbot.keyClick(row.add_edit, Qt.Key.Key_Return)
        wait_for(qtbot, lambda row, corrected: row.source_label.text() == corrected, row, corrected)
        assert not row.add_edit.isVisible() and not row.add_edit.text(), view.title


def test_my_sentence_is_followed_during_a_run_and_back_in_time(qtbot: QtBot, window: MainWindow) -> None:
    row, history = window.train_view.sentence_row, window.context.bridge.history
    window.transport.pace_slider.setValue(1)  # a dozen seconds for what follows
    window.transport.learn_button.click()
    qtbot.waitUntil(lambda: history.last_step > 0, timeout=WAIT_MS)
    row.add_button.click()
    row.add_edit.setText("1 2 3")
    qtbot.keyClick(row.add_edit, Qt.Key.Key_Return)

    def is_followed() -> bool:
        probe = history.probes.at(history.last_step)
        return probe is not None and probe.step > 1 and "1 2 3" in [sentence.source for sentence in probe.sentences]

    qtbot.waitUntil(is_followed, timeout=WAIT_MS)
    assert window.context.bridge.state == "learning"
    window.context.playhead.view(0)
    qtbot.waitUntil(lambda: row.reference_label.text() == "none (a typed sentence)", timeout=WAIT_MS)
    assert row.source_label.text() == "1 2 3" and window.context.playhead.step == 0


def test_my_sentence_is_given_back_if_other_data_were_prepared_first(qtbot: QtBot, window: MainWindow) -> None:
    workbench, row = window.context.workbench, window.train_view.sentence_row
    is_preparing, may_continue = threading.Event(), threading.Event()

    def hold(event: object) -> None:
        """Block the engine in preparation until all requests are queued."""
        if isinstance(event, StateChanged) and event.state == "preparing":
            is_preparing.set()
            may_continue.wait(30)

    window.context.bridge.engine.add_listener(hold)
    workbench.reset()
    assert is_preparing.wait(30)
    row.add_button.click()
    qtbot.keyClicks(row.add_edit, "1 2 3")
    qtbot.keyClick(row.add_edit, Qt.Key.Key_Return)
    assert not row.add_edit.text()
    workbench.edit("model.d_ff", 32)
    workbench.prepare()
    may_continue.set()
    qtbot.waitUntil(lambda: row.add_edit.text() == "1 2 3", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.context.bridge.state == "ready", timeout=WAIT_MS)
    assert "“1 2 3” is not followed" in window.trouble_strip.sentence.text()
    qtbot.keyClick(row.add_edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.context.selection.chosen.sentence == "1 2 3", timeout=WAIT_MS)


def test_the_strip_forgets_a_sentence_too_long_for_a_model_once_another_is_prepared(
    qtbot: QtBot, window: MainWindow
) -> None:
    strip, workbench = window.trouble_strip, window.context.workbench
    window.context.follow_sentence("1 2 3 " * 10)
    qtbot.waitUntil(lambda: "this model reads" in strip.sentence.text(), timeout=WAIT_MS)
    workbench.edit("dataset.max_src_length", 40)
    workbench.prepare()
    qtbot.waitUntil(lambda: strip.trouble is None, timeout=WAIT_MS)


def test_space_in_the_seed_field_learns(qtbot: QtBot, window: MainWindow, wait_for_state: Wait) -> None:
    window.activateWindow()
    seed_edit = window.transport.seed_edit
    seed_edit.setFocus()
    qtbot.keyClicks(seed_edit, "7")
    qtbot.keyClick(seed_edit, Qt.Key.Key_Space)
    wait_for_state("finished")
    assert seed_edit.text() == "7" and not_none(window.context.workbench.applied).seed == 7


def test_the_seed_applies_as_soon_as_it_is_typed(qtbot: QtBot, window: MainWindow, wait_for_state: Wait) -> None:
    workbench, seed_edit = window.context.workbench, window.transport.seed_edit
    seed_edit.setFocus()
    seed_edit.selectAll()
    qtbot.keyClicks(seed_edit, "7")
    qtbot.mouseClick(window.transport.step_buttons[0], Qt.MouseButton.LeftButton)  # the field keeps the focus
    wait_for_state("paused")
    assert not_none(workbench.applied).seed == 7
    qtbot.mouseClick(window.transport.reset_button, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier)
    wait_for_state("ready")
    window.setFocus()
    assert seed_edit.text() == "8" and workbench.draft is not None and workbench.draft.seed == 8


def test_reset_and_reset_to_the_next_seed_have_keys(qtbot: QtBot, window: MainWindow, wait_for_state: Wait) -> None:
    window.activateWindow()
    control, seeds = Qt.KeyboardModifier.ControlModifier, []
    for modifiers in (control, control | Qt.KeyboardModifier.ShiftModifier):
        window.context.workbench.learn(1)
        wait_for_state("paused")
        qtbot.keyClick(window, Qt.Key.Key_R, modifiers)
        wait_for_state("ready")
        seeds.append(window.transport.seed_edit.text())
    assert seeds == ["0", "1"] and not_none(window.context.workbench.applied).seed == 1


def test_setup_opened_by_its_key_is_the_next_to_be_tabbed_into_and_space_learns(
    qtbot: QtBot, window: MainWindow, wait_for_state: Wait
) -> None:
    window.activateWindow()
    window.transport.seed_edit.setFocus()
    qtbot.keyClick(window.transport.seed_edit, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    drawer = window.setup_drawer
    assert drawer.isVisible() and drawer.hasFocus()
    qtbot.keyClick(drawer, Qt.Key.Key_Tab)
    assert drawer.preset_combo.hasFocus()
    for _ in range(2):
        qtbot.keyClick(not_none(QApplication.focusWidget()), Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
        assert window.focusWidget() is (drawer if drawer.isVisible() else window)
    qtbot.keyClick(drawer, Qt.Key.Key_Space)
    wait_for_state("finished")
    assert drawer.isHidden() and window.focusWidget() is window


def test_an_invalid_seed_is_marked_and_never_used_without_its_comma(
    qtbot: QtBot, window: MainWindow, wait_for_state: Wait
) -> None:
    window.activateWindow()
    workbench, seed_edit, requested = window.context.workbench, window.transport.seed_edit, list[bool]()
    workbench.run_change_requested.connect(lambda: requested.append(True))
    for typed in ("2,5", "2.5", "1.000", "1,000"):
        seed_edit.setFocus()
        seed_edit.selectAll()
        qtbot.keyClicks(seed_edit, typed[:-1])
        wait_for_state("ready")
        workbench.changed.emit()  # the window shows the draft again
        qtbot.keyClicks(seed_edit, typed[-1])
        assert seed_edit.text() == typed and seed_edit.property("role") == "error"
        requested.clear()
        qtbot.keyClick(window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)  # the field keeps the focus
        assert QToolTip.text().startswith(f"{typed} is not a seed: ") and not requested
        assert seed_edit.text() == typed and seed_edit.property("role") == "error"
        window.setFocus()
        assert QToolTip.text().startswith(f"{typed} is not a seed: ")
        assert not_none(workbench.draft).seed == 0  # the draft keeps its seed
        assert seed_edit.text() == "0" and not seed_edit.property("role")


def test_every_seed_that_a_file_may_have_can_be_shown_typed_and_reset(
    qtbot: QtBot, window: MainWindow, small_file: Path, wait_for_state: Wait
) -> None:
    largest, requested = 2**32 - 1, list[bool]()
    small_file.write_text(f"{small_file.read_text(encoding='utf-8')}seed: {largest}\n", encoding="utf-8")
    window.setup_drawer.open_file(small_file)
    history, workbench, seed_edit = window.context.bridge.history, window.context.workbench, window.transport.seed_edit
    # Waiting for "preparing" would not do: it can come and go between two looks.
    qtbot.waitUntil(lambda: not_none(history.prepared).config.seed == largest, timeout=WAIT_MS)
    wait_for_state("ready")
    workbench.run_change_requested.connect(lambda: requested.append(True))
    assert seed_edit.text() == str(largest) and not seed_edit.property("role")
    window.transport.reset_button.click()
    assert requested and not_none(workbench.draft).seed == largest
    seed_edit.setFocus()
    seed_edit.selectAll()
    qtbot.keyClicks(seed_edit, "4294967296")  # one more is none: the last digit is not taken
    assert seed_edit.text() == "429496729" and not_none(workbench.draft).seed == 429496729


def test_a_note_explains_my_sentence_at_an_earlier_step(qtbot: QtBot, window: MainWindow, wait_for_state: Wait) -> None:
    qtbot.mouseClick(window.transport.step_buttons[1], Qt.MouseButton.LeftButton)
    wait_for_state("paused")
    row, attention = window.train_view.sentence_row, window.train_view.attention_map
    seen: list[tuple[str, str, str]] = []

    def look(events: list[object]) -> None:
        """Draw after every tick of the bridge."""
        for panel in (row, attention):
            panel.show_step(window.context.bridge.history, 3)
        seen.append((row.source_label.text(), row.output_label.text(), attention.title_label.text()))

    window.context.playhead.view(3)
    window.context.follow_sentence("1 2 3")
    qtbot.waitUntil(lambda: window.context.selection.chosen.sentence == "1 2 3", timeout=WAIT_MS)
    window.context.bridge.drained.connect(look)
    look([])
    qtbot.waitUntil(lambda: "step 3" in seen[-1][2], timeout=WAIT_MS)
    window.context.bridge.drained.disconnect(look)
    for source, output, title in seen:
        assert source == "1 2 3"
        assert title.endswith("step 3") or (title == "Attention" and "is being computed for step 3" in output)


def test_reset_can_change_the_seed(qtbot: QtBot, window: MainWindow, wait_for_state: Wait) -> None:
    window.context.workbench.reset(7)
    qtbot.waitUntil(lambda: window.transport.seed_edit.text() == "7", timeout=WAIT_MS)
    resolved = window.context.workbench
    qtbot.waitUntil(lambda: resolved.resolved is not None and resolved.resolved.config.seed == 7, timeout=WAIT_MS)


def test_plugins_asked_for_as_the_window_closes_start_no_process(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their listing reaches the engine after it has ended; `nothing_left_behind` checks for processes."""
    list_plugins, is_asked = Engine.plugins, threading.Event()

    def listed_late(engine: Engine) -> list[PluginInfo]:
        is_asked.set()
        engine._thread.join()
        return list_plugins(engine)

    monkeypatch.setattr(Engine, "plugins", listed_late)
    with opened_window(tmp_path):
        assert is_asked.wait(WAIT_MS / 1000)


def test_the_strip_is_visible_only_while_there_is_trouble(qtbot: QtBot, window: MainWindow) -> None:
    window.context.bridge.trouble.emit(Trouble(sentence="The disk is full.", advice="Make room.", details="ENOSPC"))
    assert window.trouble_strip.isVisible()
    assert window.trouble_strip.sentence.text() == "The disk is full."
    assert window.trouble_strip.sentence.property("role") == "error"
    mark = window.trouble_strip.findChildren(QLabel)[0]
    assert mark.isVisible() and mark.text() == "!"  # not by its colour alone
    qtbot.mouseClick(window.trouble_strip.dismiss_button, Qt.MouseButton.LeftButton)
    assert not window.trouble_strip.isVisible()
    window.context.bridge.trouble.emit(Trouble(sentence="The disk is full.", advice="Make room."))
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.trouble_strip.isVisible()


def test_the_strip_drops_a_trouble_that_it_offered_to_help_with_once_the_run_learns(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    """After room was made on the disk it still said that the run cannot be written, before what went wrong later."""
    strip, later = window.trouble_strip, Trouble(sentence="The plugin failed.")
    for trouble in (Trouble(sentence="The run cannot be written.", offer="another_folder"), later):
        window.context.bridge.trouble.emit(trouble)
    assert strip.trouble != later
    window.context.workbench.learn(1)
    wait_for_state("paused")
    assert strip.trouble == later


def test_sentence_and_advice_of_the_strip_share_its_width_by_their_length(qtbot: QtBot, window: MainWindow) -> None:
    """On a projector, each further line of the strip pushes the view down."""
    window.resize(1280, 720)
    window.context.theme.set_zoom(150)
    strip = window.trouble_strip
    advice = "Continue from the last checkpoint with training.optimizer.learning_rate = 10, or warm up for more steps."
    for texts in (("Training diverged.", advice), (advice, "Reset begins another run.")):
        strip.show_first(Trouble(sentence=texts[0], advice=texts[1], offer="lower_rate"))
        qtbot.waitUntil(lambda: strip.sentence.height() <= 3 * strip.fontMetrics().lineSpacing(), timeout=WAIT_MS)


def test_after_the_strip_was_dismissed_by_keyboard_space_learns(qtbot: QtBot, window: MainWindow) -> None:
    window.activateWindow()
    window.context.bridge.trouble.emit(Trouble(sentence="The disk is full.", advice="Make room."))
    window.trouble_strip.dismiss_button.setFocus()
    qtbot.waitUntil(window.trouble_strip.dismiss_button.hasFocus, timeout=WAIT_MS)
    qtbot.keyClick(window.trouble_strip.dismiss_button, Qt.Key.Key_Space)
    assert window.trouble_strip.isHidden() and window.focusWidget() is window


def test_theme_and_zoom_can_be_switched(qtbot: QtBot, window: MainWindow) -> None:
    small = window.transport.state_label.sizeHint().height()
    window.context.theme.set_mode("dark")
    assert window.palette().window().color().lightness() < 60
    window.context.theme.set_zoom(150)
    assert window.transport.state_label.sizeHint().height() > small


def test_an_interrupted_run_is_offered(qtbot: QtBot, window: MainWindow, wait_for_state: Wait, tmp_path: Path) -> None:
    qtbot.mouseClick(window.transport.step_buttons[1], Qt.MouseButton.LeftButton)
    wait_for_state("paused")
    answers: list[object] = []
    window.context.bridge.ask(Stop(), answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=WAIT_MS)
    window.resume_banner.offer(interrupted_run(tmp_path / "runs"))
    assert "left at step 10" in window.resume_banner.sentence.text()
    window.activateWindow()
    window.resize(960, 600)
    window.context.theme.set_zoom(200)
    qtbot.wait(50)  # until it is laid out
    assert cut_texts(window.resume_banner) == []
    window.resume_banner.open_button.setFocus()
    qtbot.waitUntil(window.resume_banner.open_button.hasFocus, timeout=WAIT_MS)
    qtbot.keyClick(window.resume_banner.open_button, Qt.Key.Key_Space)
    assert window.focusWidget() is window  # not the button after it, for Space to press
    qtbot.waitUntil(lambda: window.context.playhead.live_step == 10, timeout=WAIT_MS)
    assert not window.resume_banner.isVisible()


def test_a_run_opened_in_runs_or_deleted_is_no_longer_offered(
    qtbot: QtBot, window: MainWindow, wait_for_state: Wait, tmp_path: Path
) -> None:
    window.context.workbench.learn(5)
    wait_for_state("paused")
    window.context.workbench.reset()
    wait_for_state("ready")
    (run,) = list_runs(tmp_path / "runs")
    window.resume_banner.offer(RunFolder.open(run))
    window.runs_view.deleted.emit(tmp_path / "another")
    assert window.resume_banner.isVisible()
    window.context.workbench.open_run(run)
    qtbot.waitUntil(lambda: window.context.workbench.run == run, timeout=WAIT_MS)
    assert not window.resume_banner.isVisible()
    window.resume_banner.offer(RunFolder.open(run))
    another = Path(shutil.copytree(run, tmp_path / "runs" / "another"))
    window.context.workbench.open_run(another)
    qtbot.waitUntil(lambda: window.context.workbench.run == another, timeout=WAIT_MS)
    assert not window.resume_banner.isVisible()
    window.resume_banner.offer(RunFolder.open(run))
    window.runs_view.deleted.emit(run)
    assert not window.resume_banner.isVisible()


def test_the_interrupted_run_written_last_is_offered(
    qtbot: QtBot, window: MainWindow, wait_for_state: Wait, tmp_path: Path
) -> None:
    workbench, runs = window.context.workbench, tmp_path / "runs"
    for _ in range(2):
        workbench.learn(5)
        wait_for_state("paused")
        workbench.reset()  # saves and leaves the run
        wait_for_state("ready")
    older, newer = (RunFolder.open(run) for run in list_runs(runs))
    workbench.continue_run(older.path)
    qtbot.waitUntil(lambda: window.context.bridge.state == "finished", timeout=WAIT_MS)
    workbench.reset()
    wait_for_state("ready")
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True)
    for pid, expected in ((os.getppid(), newer), (int(ended.stdout), older)):  # its process is alive, or was killed
        older.reread_state()
        older.update(state="learning", pid=pid, host=socket.gethostname())
        found = not_none(interrupted_run(runs))
        assert found.path == expected.path
    shutil.copytree(newer.path, runs / "damaged")
    (runs / "damaged" / "run.json").write_text("{", encoding="utf-8")
    window.start()
    qtbot.waitUntil(window.resume_banner.isVisible, timeout=WAIT_MS)
    assert older.path.name in window.resume_banner.sentence.text()


def test_nothing_is_offered_once_a_run_has_begun(
    qtbot: QtBot, window: MainWindow, wait_for_state: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge, may_search, completed = window.context.bridge, threading.Event(), list[object]()
    interrupted = RunFolder.open(shutil.copytree(example_path(), tmp_path / "runs" / "left"))
    interrupted.update(state="stopped")

    def look(*arguments: Any) -> RunFolder | None:
        may_search.wait()
        return interrupted_run(*arguments)

    monkeypatch.setattr("gui.main_window.interrupted_run", look)
    with monkeypatch.context() as patch:
        patch.setattr(window.setup_drawer, "choose_preset", lambda _: None)  # nothing else is prepared
        window.start()
    bridge.run_in_background(lambda: None, completed.append)  # queued behind the search for an interrupted run
    try:
        window.context.workbench.learn(5)
        wait_for_state("paused")
    finally:
        may_search.set()
    qtbot.waitUntil(lambda: bool(completed), timeout=WAIT_MS)
    assert not window.resume_banner.isVisible()


def test_the_help_sheet_names_the_licences(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.mouseClick(window.transport.help_button, Qt.MouseButton.LeftButton)
    texts = [label.text() for label in window.help_sheet.findChildren(QLabel)]
    assert any("MIT" in text for text in texts) and any("LGPL" in text for text in texts)
    qtbot.mouseClick(window.help_sheet.close_button, Qt.MouseButton.LeftButton)
    assert not window.help_sheet.isVisible()


def test_controls_have_names_and_dialog_buttons_end_with_an_ellipsis(qtbot: QtBot, window: MainWindow) -> None:
    assert len(window.views) == 7  # which builds all of them
    for section in window.setup_drawer.sections.values():
        section.heading.click()
    controls = [one for kind in (QAbstractButton, QLineEdit, QComboBox, QSlider) for one in window.findChildren(kind)]
    controls = [one for one in controls if not one.objectName().startswith("qt_")]  # parts of Qt's own widgets
    assert len(controls) > 50
    unnamed = [one for one in controls if not (one.accessibleName() or getattr(one, "text", str)())]
    assert not unnamed
    named = [one for one in window.findChildren(QLabel) if one.accessibleName()]
    assert named == [window.transport.state_label], "a screen reader reads a label's name instead of its text"
    parts = [*controls, *window.findChildren(QTableWidget)]
    later = {"Continue from the viewed step", "What helps", "Try it"}  # their tooltips come when they are enabled
    assert {one.accessibleName() for one in parts if not one.toolTip()} <= later
    texts = {one.text() for one in window.findChildren(QAbstractButton) if "…" in one.text()}
    assert {"Open …", "Save as …", "Open file …", "Share …", "New …"} <= texts
    assert all(text.endswith(" …") for text in texts)


def test_space_learns_even_after_a_click_elsewhere(qtbot: QtBot, window: MainWindow) -> None:
    row = window.train_view.sentence_row
    window.activateWindow()
    qtbot.mouseClick(window.transport.reset_button, Qt.MouseButton.LeftButton)
    assert window.focusWidget() is not window.transport.reset_button
    qtbot.mouseClick(row.add_button, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(row.add_edit, "1 2 3")
    qtbot.keyClick(row.add_edit, Qt.Key.Key_Return)
    assert not isinstance(window.focusWidget(), QAbstractButton)
    window.rail.setup_button.setChecked(True)
    window.setup_drawer.save_button.setFocus()
    window.rail.setup_button.setChecked(False)
    assert not isinstance(window.focusWidget(), QAbstractButton)
    row.next_button.setFocus()
    window.show_view(1)
    assert window.focusWidget() is window
    window.help_sheet.toggle()
    qtbot.mouseClick(window.help_sheet.close_button, Qt.MouseButton.LeftButton)
    assert window.focusWidget() is window


def test_the_transport_bar_wraps_in_a_narrow_window(qtbot: QtBot, window: MainWindow) -> None:
    window.rail.setup_button.setChecked(True)
    window.resize(960, 600)
    bar = window.transport
    controls = (bar.learn_button, *bar.step_buttons, bar.reset_button, bar.finish_button, bar.state_label)

    def places() -> list[QRect]:
        return [QRect(one.mapTo(bar, QPoint(0, 0)), one.size()) for one in controls]

    qtbot.waitUntil(lambda: all(bar.rect().contains(place) for place in places()), timeout=WAIT_MS)
    for one, place in enumerate(places()):
        assert place.width() >= controls[one].minimumSizeHint().width()
        assert not any(place.intersects(other) for other in places()[one + 1 :])


def test_every_panel_is_filled_by_the_start_even_if_nothing_was_drawn_before(
    qtbot: QtBot, engines_share_a_host: None, tmp_path: Path
) -> None:
    """As in the application. In a window from a fixture, Qt has processed events by the time its test begins."""
    with opened_window(tmp_path) as window:
        window.start()
        panels = [panel for panel in window.train_view.findChildren(Panel) if panel.isVisible()]
        assert len(panels) == 4 and not any(panel.is_dirty or panel.is_empty for panel in panels)


def test_the_window_opens_with_what_the_engine_then_prepares(qtbot: QtBot, empty_window: MainWindow) -> None:
    view, history = empty_window.train_view, empty_window.context.bridge.history
    empty_window.start()
    assert empty_window.context.bridge.state != "ready"
    assert not empty_window.transport.learn_button.isEnabled()
    opened = view.sentence_row.source_label.text(), empty_window.status_bar.size_label.text()
    assert all(opened)
    assert not any(panel.is_dirty for panel in (view.sentence_row, view.attention_map, view.head_grid, view.curves))
    probe = history.probes.at(0)
    qtbot.waitUntil(lambda: empty_window.context.bridge.state == "ready", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not view.sentence_row.is_dirty, timeout=WAIT_MS)
    assert history.probes.at(0) is not probe
    assert opened == (view.sentence_row.source_label.text(), empty_window.status_bar.size_label.text())
    assert not empty_window.trouble_strip.isVisible()
