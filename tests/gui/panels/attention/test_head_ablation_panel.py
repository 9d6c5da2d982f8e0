"""Heads switched off in the real window: the panel shows the engine's figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot

from core.answers.head_ablation import HeadAblation, HeadId
from core.exporting.sharing import share
from core.history import History
from core.run_folder import RunFolder
from gui.heads.ablation_text import describe_change, measurements, output_tokens
from gui.main_window import VIEWS, MainWindow
from gui.panels.attention.head_ablation_panel import HeadAblationPanel
from gui.runs.rows import example_path
from gui.sentences.divergence import NOT_A_NUMBER
from tests.gui.builders import diverged
from tests.gui.conftest import WAIT_MS
from tests.gui.legible import cut_texts
from tests.gui.not_none import not_none

LAST = HeadId("cross", 0, 0)


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> HeadAblationPanel:
    """The panel in the Attention view of the small task, with two heads of each kind, all on."""
    view = window.attention_view
    window.show_view(VIEWS.index(type(view)))
    qtbot.waitUntil(lambda: "step 0" in view.map.title_label.text() and bool(view.grid.canvas.rows), timeout=WAIT_MS)
    assert not view.ablation_panel.isVisible() and view.chooser.on_box.isChecked()
    return view.ablation_panel


def answer(panel: HeadAblationPanel, qtbot: QtBot, *heads: HeadId) -> HeadAblation:
    """The engine's answer without these heads, once it is shown."""

    def is_shown() -> bool:
        result = panel.query.answer
        return result is not None and result.heads == heads and not panel.is_empty and not panel.is_dirty

    qtbot.waitUntil(is_shown, timeout=WAIT_MS)
    return not_none(panel.query.answer)


def test_a_key_switches_the_shown_head_off_and_the_changes_are_shown(
    window: MainWindow, panel: HeadAblationPanel, qtbot: QtBot
) -> None:
    view = window.attention_view
    qtbot.keyClick(view.map.canvas, Qt.Key.Key_X, Qt.KeyboardModifier.AltModifier)
    seen = answer(panel, qtbot, LAST)
    assert panel.isVisible() and not view.chooser.on_box.isChecked()
    assert panel.title_label.text() == "Without cross layer 1 head 1 · weights of step 0"
    for row, one in zip(panel.cells, (seen.complete, seen.without), strict=False):
        _, reference, valid = measurements(one)
        assert [cell.text() for cell in row[2:]] == [f"{reference:.3f}", f"{valid:.3f}"]
        assert row[0].toolTip() == " ".join(output_tokens(one))
    for column in (1, 2, 3):
        before, after, change = (float(row[column].text()) for row in panel.cells)
        assert change == pytest.approx(after - before, rel=0.05, abs=1e-9)
    assert panel.summary_label.text() == describe_change(seen)
    assert panel.numbers()[2] == ("without", seen.without.sentence.output, *measurements(seen.without))
    assert_all_of_it_is_shown_in_the_smallest_window_at_the_largest_zoom(window, panel, qtbot)
    assert_heading_says_of_how_many_pairs_the_loss_is(panel, seen)
    assert_a_diverged_model_has_no_figures(window, panel, seen)
    qtbot.mouseClick(panel.all_on_button, Qt.MouseButton.LeftButton)
    assert not panel.isVisible() and view.disabled_heads.heads == frozenset()
    qtbot.waitUntil(view.chooser.on_box.isChecked, timeout=WAIT_MS)

    view.chooser.show_step(History(), 0)  # no head is shown
    qtbot.keyClick(view.map.canvas, Qt.Key.Key_X, Qt.KeyboardModifier.AltModifier)
    assert not view.disabled_heads.heads


def assert_all_of_it_is_shown_in_the_smallest_window_at_the_largest_zoom(
    window: MainWindow, panel: HeadAblationPanel, qtbot: QtBot
) -> None:
    size = window.size()
    window.resize(window.minimumSize())
    window.context.theme.set_zoom(200)
    qtbot.waitUntil(lambda: panel.width() < panel.sizeHint().width() and cut_texts(panel) == [], timeout=WAIT_MS)
    window.context.theme.set_zoom(100)
    window.resize(size)


def assert_heading_says_of_how_many_pairs_the_loss_is(panel: HeadAblationPanel, seen: HeadAblation) -> None:
    heads = []
    for num_valid in (2, 1, 0):
        panel._draw(replace(seen, num_valid=num_valid))
        heads.append(panel._heads[-1].text())
    counts = ("2 validation pairs", "1 validation pair", "validation pairs")
    assert heads == [f"loss of {pairs}, nats/token" for pairs in counts]


def assert_a_diverged_model_has_no_figures(window: MainWindow, panel: HeadAblationPanel, seen: HeadAblation) -> None:
    complete = replace(seen.complete, sentence=diverged(seen.complete.sentence))
    panel.query.answer = replace(seen, complete=complete)
    panel.show_step(window.context.bridge.history, 0)
    assert panel.is_empty and NOT_A_NUMBER in panel.empty_label.text()
    panel.query.answer = seen
    panel.show_step(window.context.bridge.history, 0)
    assert not panel.is_empty


def menu_of(window: MainWindow, reason: QContextMenuEvent.Reason, place: QPoint) -> QMenu:
    """The context menu of the grid, opened by mouse or by the menu key."""
    canvas = window.attention_view.grid.canvas
    QApplication.sendEvent(canvas, QContextMenuEvent(reason, place, canvas.mapToGlobal(place)))
    menus = [menu for menu in canvas.findChildren(QMenu) if menu.isVisible()]
    assert len(menus) == 1
    return menus[0]


def pick(menu: QMenu, text: str) -> None:
    """Choose an entry, as a click does."""
    (action,) = [action for action in menu.actions() if action.text() == text]
    assert action.isEnabled()
    menu.close()
    action.trigger()


@pytest.mark.qt_log_ignore("This plugin does not support")  # the offscreen platform, when a popup opens
def test_the_menu_of_the_grid_switches_heads_and_layers_off(
    window: MainWindow, panel: HeadAblationPanel, qtbot: QtBot
) -> None:
    view, canvas = window.attention_view, window.attention_view.grid.canvas
    pick(menu_of(window, QContextMenuEvent.Reason.Mouse, canvas.cell(0, 1).center().toPoint()), "Switch off")
    answer(panel, qtbot, HeadId("encoder_self", 0, 1))
    before, cell = canvas.grab().toImage(), canvas.cell(0, 1).toRect()
    pick(menu_of(window, QContextMenuEvent.Reason.Mouse, canvas.cell(1, 1).center().toPoint()), "Switch off")
    answer(panel, qtbot, HeadId("decoder_self", 0, 1), HeadId("encoder_self", 0, 1))
    after, switched = canvas.grab().toImage(), canvas.cell(1, 1).toRect()
    assert after.copy(switched) != before.copy(switched) and after.copy(cell) == before.copy(cell)
    pick(menu_of(window, QContextMenuEvent.Reason.Mouse, canvas.cell(1, 1).center().toPoint()), "Switch on")
    assert canvas.grab().toImage() == before
    canvas.setFocus()
    pick(menu_of(window, QContextMenuEvent.Reason.Keyboard, QPoint(0, 0)), "Switch off the whole layer")
    answer(panel, qtbot, HeadId("cross", 0, 0), HeadId("cross", 0, 1), HeadId("encoder_self", 0, 1))
    assert panel.title_label.text().startswith("Without cross layer 1 head 1, cross layer 1 head 2 and 1 more")
    pick(menu_of(window, QContextMenuEvent.Reason.Mouse, cell.center()), "All heads on again")
    assert view.disabled_heads.heads == frozenset()


def test_it_follows_the_playhead_and_a_reset_switches_all_heads_on(
    window: MainWindow, panel: HeadAblationPanel, qtbot: QtBot
) -> None:
    view = window.attention_view
    view.disabled_heads.toggle(LAST)
    untrained, history = answer(panel, qtbot, LAST), window.context.bridge.history
    window.context.selection.step_sentence(history.probes.sentences, 1)
    panel.show_step(history, 0)
    assert panel.is_empty and panel.empty_label.text() == "Computing …"  # not what it wrote for the sentence before
    window.context.workbench.learn(12)
    qtbot.waitUntil(lambda: panel.query.answer is not None and panel.query.answer.step == 12, timeout=WAIT_MS)
    window.context.playhead.view(0)
    qtbot.waitUntil(lambda: panel.query.answer is not None and panel.query.answer.step == 0, timeout=WAIT_MS)
    assert not_none(panel.query.answer).without.valid_loss == untrained.without.valid_loss
    window.context.workbench.reset()
    qtbot.waitUntil(lambda: not view.disabled_heads.heads, timeout=WAIT_MS)
    assert not panel.isVisible() and panel.query.answer is None  # what comes next is about another model


def follow_the_example(window: MainWindow, qtbot: QtBot) -> None:
    """Follow the example run as if another process wrote it; wait until its heads are drawn."""
    bridge, grid = window.context.bridge, window.attention_view.grid
    window.context.follower.follow(example_path())
    qtbot.waitUntil(lambda: bridge.followed is not None and "800" in grid.title_label.text(), timeout=WAIT_MS)


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_heads_of_a_followed_run_cannot_be_switched_off(
    window: MainWindow, panel: HeadAblationPanel, qtbot: QtBot
) -> None:
    view, canvas, follower = window.attention_view, window.attention_view.grid.canvas, window.context.follower
    follow_the_example(window, qtbot)
    with_all_on = canvas.grab().toImage()
    follower.stop_following()
    view.disabled_heads.toggle(LAST)
    answer(panel, qtbot, LAST)
    follow_the_example(window, qtbot)
    assert not panel.isVisible()
    qtbot.waitUntil(lambda: canvas.grab().toImage() == with_all_on, timeout=WAIT_MS)  # after the layout has changed
    box, why = view.chooser.on_box, view.disabled_heads.unavailable_reason
    assert box.isChecked() and not box.isEnabled() and box.toolTip() == why and "stop following" in why
    qtbot.keyClick(view.map.canvas, Qt.Key.Key_X, Qt.KeyboardModifier.AltModifier)
    menu = menu_of(window, QContextMenuEvent.Reason.Keyboard, QPoint(0, 0))
    assert not any(action.isEnabled() for action in menu.actions())
    assert menu.toolTipsVisible() and {action.toolTip() for action in menu.actions()} == {why}
    menu.close()
    assert "witch" not in canvas._explain(*canvas.chosen_cell())
    follower.stop_following()
    qtbot.waitUntil(lambda: not box.isChecked() and box.isEnabled(), timeout=WAIT_MS)
    assert view.disabled_heads.heads == {LAST} and panel.isVisible()
    answer(panel, qtbot, LAST)


def test_a_shared_run_says_why_it_has_no_validation_loss(
    empty_window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window, view = empty_window, empty_window.attention_view
    share(RunFolder.open(example_path()), tmp_path / "mine.headlight")
    window.runs_view.shared.open_file(tmp_path / "mine.headlight")
    qtbot.waitUntil(lambda: window.context.bridge.state == "finished", timeout=WAIT_MS)
    window.show_view(VIEWS.index(type(view)))
    view.disabled_heads.toggle(LAST)
    answer(view.ablation_panel, qtbot, LAST)
    heads = [label.text() for label in view.ablation_panel.findChildren(QLabel)]
    assert "loss of validation pairs, nats/token" in heads and view.ablation_panel.cells[1][3].text() == ""
    _, why = view.ablation_panel.summary_label.text().split("\n")
    not_available = "This run's pairs are not available: it was shared without them, or its dataset's plugin no longer "
    assert why.startswith(f"{not_available}gives them.") and "Continue from" in why  # it may be gone, or have changed
