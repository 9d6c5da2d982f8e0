"""What the transport bar shows of the engine."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from core.run_files.label import RunLabel
from core.run_folder import RunFolder
from gui.main_window import VIEWS, MainWindow
from gui.runs.rows import example_path
from tests.gui.conftest import WAIT_MS
from tests.gui.legible import cut_texts
from tests.gui.not_none import not_none
from tests.gui.waiting import wait_for


def test_it_offers_1_10_and_100_steps_and_four_paces(empty_window: MainWindow) -> None:
    bar, shown = empty_window.transport, list[str]()
    for index in range(bar.pace_slider.maximum() + 1):
        bar.pace_slider.setValue(index)
        shown.append(bar.pace_label.text())
    assert shown == ["1 / s", "3 / s", "10 / s", "max"]
    assert [one.text() for one in bar.step_buttons] == ["+1", "+10", "+100"]


def test_a_pace_delays_each_step_and_max_delays_none(qtbot: QtBot, window: MainWindow) -> None:
    bar, workbench, bridge = window.transport, window.context.workbench, window.context.bridge
    for index, pace in enumerate((1, 3, 10)):
        bar.pace_slider.setValue(index)
        began, at_pause = time.monotonic(), ("paused", 2 * (index + 1))
        workbench.learn(2)
        wait_for(qtbot, lambda at_pause: (bridge.state, bridge.history.last_step) == at_pause, at_pause)
        assert time.monotonic() - began > 1 / pace
    bar.pace_slider.setValue(0)
    bar.learn_button.click()  # 34 steps, one a second
    bar.pace_slider.setValue(3)
    qtbot.waitUntil(lambda: bridge.state == "finished", timeout=20_000)


def test_after_data_that_fail_it_says_that_nothing_is_prepared(
    qtbot: QtBot, empty_window: MainWindow, small_file: Path
) -> None:
    window, bar = empty_window, empty_window.transport
    assert bar.state_label.text() == "○ starting"
    broken = small_file.with_name("broken.yaml")
    broken.write_text(small_file.read_text(encoding="utf-8").replace("copy_task", "no_such_plugin"), encoding="utf-8")
    window.setup_drawer.open_file(broken)
    qtbot.waitUntil(lambda: "nothing prepared" in bar.state_label.text(), timeout=WAIT_MS)
    assert "Setup" in bar.state_label.text() and "step" not in bar.state_label.text()
    assert not bar.learn_button.isEnabled() and "Nothing is prepared" in bar.learn_button.toolTip()
    # The trouble arrives after the state.
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None, timeout=WAIT_MS)
    window.setup_drawer.open_file(small_file)
    qtbot.waitUntil(lambda: "untrained · step 0" in bar.state_label.text(), timeout=WAIT_MS)
    assert bar.learn_button.isEnabled()


def test_after_data_that_fail_the_previous_model_is_not_shown(
    qtbot: QtBot, window: MainWindow, small_file: Path
) -> None:
    train, translate = window.train_view, window.translate_view
    window.context.workbench.learn(3)
    qtbot.waitUntil(lambda: window.context.playhead.live_step == 3, timeout=WAIT_MS)
    panels = (train.curves, train.attention_map, train.head_grid, train.sentence_row)
    qtbot.waitUntil(lambda: not any(panel.is_empty for panel in panels), timeout=WAIT_MS)
    broken = small_file.with_name("broken.yaml")
    broken.write_text(small_file.read_text(encoding="utf-8").replace("copy_task", "no_such_plugin"), encoding="utf-8")
    window.setup_drawer.open_file(broken)
    window.context.workbench.reset()
    qtbot.waitUntil(lambda: "nothing prepared" in window.transport.state_label.text(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: all(panel.is_empty for panel in panels), timeout=WAIT_MS)
    assert window.context.playhead.live_step == 0
    window.show_view(VIEWS.index(type(translate)))
    qtbot.waitUntil(lambda: translate.tokens.is_empty and not translate.tokens.is_dirty, timeout=WAIT_MS)
    window.show_view(0)
    window.setup_drawer.open_file(small_file)
    qtbot.waitUntil(lambda: not any(panel.is_empty for panel in panels), timeout=WAIT_MS)


def test_while_another_run_is_prepared_no_step_of_the_run_before_is_named(qtbot: QtBot, window: MainWindow) -> None:
    workbench, label = window.context.workbench, window.transport.state_label
    workbench.learn(3)
    qtbot.waitUntil(lambda: label.text() == "▮▮ paused · step 3 of 40", timeout=WAIT_MS)
    seen = set[str]()
    window.context.bridge.state_changed.connect(lambda _: seen.add(label.text()))
    workbench.reset()
    qtbot.waitUntil(lambda: "untrained" in label.text(), timeout=WAIT_MS)
    assert [text for text in seen if "preparing" in text] == ["○ preparing"]


def test_the_state_takes_no_more_room_than_it_needs(qtbot: QtBot, window: MainWindow) -> None:
    """Otherwise the buttons beside it would wrap into a second row and push the view down."""
    label, row = window.transport.state_label, window.transport.height()
    window.context.workbench.learn(10)
    qtbot.waitUntil(lambda: window.context.playhead.live_step == 10, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.context.bridge.state == "paused", timeout=WAIT_MS)
    window.context.playhead.view(5)
    assert label.text() == "▮▮ paused"
    assert label.width() <= 4 / 3 * (label.fontMetrics().horizontalAdvance(label.text()) + 1)
    qtbot.waitUntil(lambda: window.transport.height() == row, timeout=WAIT_MS)


def test_it_keeps_its_rows_when_the_run_ends_at_any_width_and_pace(qtbot: QtBot, window: MainWindow) -> None:
    """Learn has another text then, while that of the state is as long as before."""
    transport, bridge = window.transport, window.context.bridge
    window.context.workbench.learn(40)
    qtbot.waitUntil(lambda: bridge.state == "finished", timeout=WAIT_MS)
    window.show_view(VIEWS.index(type(window.plugins_view)))  # quickly laid out at each of the widths
    window.context.theme.set_zoom(150)
    for width in range(1000, 1600, 12):
        heights = []
        for bridge.state, pace in (("learning", 3), ("learning", 2), ("finished", 2)):  # no time passes between them
            transport.pace_slider.setValue(pace)
            transport.refresh()
            window.resize(width, 720)
            qtbot.wait(1)
            heights.append(transport.heightForWidth(transport.width()))
        assert len({*heights}) == 1, width


def test_continuing_from_a_step_before_the_earliest_weights_is_refused(qtbot: QtBot, empty_window: MainWindow) -> None:
    window, context = empty_window, empty_window.context
    context.workbench.open_run(example_path())  # it has only its last checkpoint
    qtbot.waitUntil(lambda: context.bridge.state == "finished" and context.playhead.live_step == 800, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not context.workbench.is_opening, timeout=WAIT_MS)
    qtbot.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert window.trouble_strip.isHidden()  # there, Learn continues anyway
    d_model = not_none(context.workbench.draft).model.d_model
    context.workbench.edit("model.d_model", 2 * d_model)  # another shape: no branch could take over the weights
    context.playhead.view(800)
    context.playhead.view(192)
    context.workbench.edit("model.d_model", d_model)
    qtbot.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert not_none(window.trouble_strip.trouble).is_note
    assert window.trouble_strip.sentence.text().startswith("No weights are kept at or before step 192: ")
    assert window.trouble_strip.advice.text() == "The earliest are those of step 800."
    assert context.workbench.run == example_path()


def test_a_new_run_continues_from_an_earlier_step_with_the_changes(qtbot: QtBot, window: MainWindow) -> None:
    bar, context = window.transport, window.context
    context.workbench.edit("training.max_steps", 8)
    context.workbench.learn()
    qtbot.waitUntil(lambda: context.bridge.state == "finished", timeout=WAIT_MS)
    assert window.transport.finish_button.toolTip() == "This run is already kept"
    run = not_none(context.workbench.run)
    assert not bar.branch_button.isVisible()
    height = bar.heightForWidth(bar.width())
    context.playhead.view(4)
    qtbot.waitUntil(  # at a width of 1280, the panels below stay in place
        lambda: bar.heightForWidth(bar.width()) == height, timeout=WAIT_MS
    )
    assert bar.branch_button.isVisible() and bar.branch_button.text() == "Continue from 4"
    context.workbench.edit("model.dropout", 0.3)
    assert bar.branch_button.text() == "Continue from 4 with 1 change"
    qtbot.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: context.workbench.run not in (None, run), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not context.workbench.is_opening, timeout=WAIT_MS)  # nothing learns until then
    assert context.playhead.live_step == 4 and not bar.branch_button.isVisible()
    assert not_none(context.workbench.draft).model.dropout == 0.3 and context.workbench.waiting_changes == ()
    assert not_none(context.bridge.history.prepared).config.model.dropout == 0.3
    assert len(context.bridge.history.curve("train/loss")[0]) == 4
    assert RunFolder.open(not_none(context.workbench.run)).state.parent == run.name
    context.workbench.edit("model.attention_dropout", 0.2)  # the branch took no step yet, so Learn applies it
    assert not bar.branch_button.isVisible()
    context.workbench.edit("model.attention_dropout", 0.0)
    context.workbench.learn(1)
    qtbot.waitUntil(lambda: context.playhead.live_step == 5 and context.bridge.state == "paused", timeout=WAIT_MS)
    context.workbench.edit("model.attention_dropout", 0.2)  # at the live step, where Learn would also continue
    assert bar.branch_button.isVisible() and bar.branch_button.text() == "Continue from 5 with 1 change"
    context.workbench.edit("model.d_model", 32)
    assert not bar.branch_button.isVisible()
    context.playhead.view(2)
    assert not bar.branch_button.isEnabled() and "model.d_model needs other weights" in bar.branch_button.toolTip()


def test_a_followed_run_has_the_name_that_the_user_gave_it(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    follower = window.context.follower
    run = shutil.copytree(example_path(), tmp_path / "run")
    RunFolder.open(run).write_label(RunLabel(name="my run"))
    follower.follow(run)
    qtbot.waitUntil(lambda: bool(follower.status), timeout=WAIT_MS)
    ended = "my run is no longer being written: "
    assert window.transport.learn_button.toolTip().startswith(ended) and follower.why_no_model.startswith(ended)
    follower.writer = "process 7"
    assert follower.why_no_model.startswith("Watching process 7: ")


def test_the_width_of_the_seed_follows_the_zoom(qtbot: QtBot, empty_window: MainWindow) -> None:
    window, edit = empty_window, empty_window.transport.seed_edit
    for zoom in (200, 100, 150):
        window.context.theme.set_zoom(zoom)
        qtbot.waitUntil(lambda: edit.width() == 9 * edit.fontMetrics().horizontalAdvance("0"), timeout=WAIT_MS)


def test_with_little_room_texts_are_shortened_and_the_rest_is_in_tooltips(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    bar, playhead = window.transport, window.context.playhead
    window.context.workbench.learn(10)
    wait_for_state("paused")
    window.resize(1280, 720)
    qtbot.waitUntil(lambda: bar.finish_button.text() == "Finish and keep", timeout=WAIT_MS)
    assert bar.state_label.text() == "▮▮ paused · step 10 of 40" and not bar.state_label.toolTip()
    window.context.theme.set_zoom(150)
    qtbot.waitUntil(lambda: bar.finish_button.text() == "Finish", timeout=WAIT_MS)
    assert bar.finish_button.accessibleName() == "Finish and keep"
    assert bar.state_label.text() == "▮▮ paused · step 10"
    playhead.view(5)
    assert (bar.live_button.text(), bar.state_label.text()) == ("LIVE", "▮▮")
    assert bar.state_label.toolTip() == "▮▮ paused · step 10 of 40"
    window.context.theme.set_zoom(100)
    qtbot.waitUntil(lambda: bar.live_button.text() == "viewing 5 · LIVE (10)", timeout=WAIT_MS)
    assert bar.state_label.text() == "▮▮ paused"


def test_it_and_the_figures_below_take_one_row_each_at_any_zoom(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    bar, below, workbench = window.transport, window.status_bar, window.context.workbench
    workbench.learn(10)
    wait_for_state("paused")
    workbench.learn(30)
    wait_for_state("finished")
    window.resize(1280, 720)

    def is_one_row() -> bool:
        rows = bar.height() / bar.learn_button.height(), below.height() / below.epoch_label.height()
        return bar.width() < 1280 and max(rows) < 2

    for zoom in (100, 150, 175, 200):
        window.context.theme.set_zoom(zoom)
        for max_steps, label_smoothing in ((40, 0.1), (41, 0.1), (41, 0.0)):  # no, one and two changes
            workbench.edit("training.max_steps", max_steps)
            workbench.edit("training.label_smoothing", label_smoothing)
            for look in (lambda: window.context.playhead.view(10), window.context.playhead.go_live):
                look()
                qtbot.waitUntil(is_one_row, timeout=WAIT_MS)
                qtbot.waitUntil(lambda: cut_texts(bar) == cut_texts(below) == [], timeout=WAIT_MS)
                branch = bar.branch_button
                assert branch.text() in branch.accessibleName() and "step 40" in bar.state_label.accessibleName()


def test_in_the_smallest_window_no_button_is_cut(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(window.minimumSize())
    window.context.theme.set_zoom(200)
    qtbot.waitUntil(lambda: window.transport.width() <= 800, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: cut_texts(window.transport) == [], timeout=WAIT_MS)


def test_it_stays_as_it_is_when_setup_is_opened(qtbot: QtBot, window: MainWindow) -> None:
    bar, drawer = window.transport, window.setup_drawer
    for zoom in (100, 200):
        window.context.theme.set_zoom(zoom)
        qtbot.waitUntil(lambda: bar.width() == window.width() - window.rail.width(), timeout=WAIT_MS)
        qtbot.waitUntil(lambda: bar.height() == bar.heightForWidth(bar.width()), timeout=WAIT_MS)
        before = bar.geometry(), bar.state_label.text(), bar.learn_button.mapTo(window, QPoint(0, 0))
        window.rail.setup_button.click()
        qtbot.waitUntil(lambda: drawer.isVisible() and drawer.geometry().right() < window.pages.x(), timeout=WAIT_MS)
        assert (bar.geometry(), bar.state_label.text(), bar.learn_button.mapTo(window, QPoint(0, 0))) == before, zoom
        window.rail.setup_button.click()


def test_after_a_button_that_disappears_or_is_disabled_space_learns_or_pauses(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    window.activateWindow()
    bar, playhead = window.transport, window.context.playhead

    def press(one: QPushButton) -> None:
        one.setFocus()
        qtbot.waitUntil(one.hasFocus, timeout=WAIT_MS)
        qtbot.keyClick(one, Qt.Key.Key_Space)

    press(bar.step_buttons[1])  # disabled while it learns
    qtbot.waitUntil(lambda: window.focusWidget() is window, timeout=WAIT_MS)
    wait_for_state("paused")
    playhead.view(0)
    press(bar.live_button)
    assert bar.live_button.isHidden() and window.focusWidget() is window
    press(bar.finish_button)
    qtbot.waitUntil(lambda: not bar.finish_button.isEnabled() and window.focusWidget() is window, timeout=WAIT_MS)
