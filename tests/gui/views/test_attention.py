"""The Attention view, operated by mouse and keyboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox
from pytestqt.qtbot import QtBot

from core.settings.presets import read_preset
from gui.main_window import VIEWS, MainWindow
from gui.panel import Panel
from gui.widgets.scrolling_page import ScrollingPage
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none

Key = Qt.Key
LONG_TITLE = "All heads · ◆ alignment 0.97: cross 1 head 3 since 233"
ALT = Qt.KeyboardModifier.AltModifier


def opened(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window with the Attention view open and drawn."""
    window.show_view(VIEWS.index(type(window.attention_view)))
    qtbot.waitUntil(lambda: "step 0" in window.attention_view.map.title_label.text(), timeout=WAIT_MS)
    return window


def title(window: MainWindow) -> str:
    """Draw everything that is out of date; return the title of the large map."""
    while any(panel.is_dirty and panel.isVisible() for panel in window.findChildren(Panel)):
        window.context.redraw_scheduler.draw()
    return window.attention_view.map.title_label.text()


def test_keys_choose_kind_layer_head_and_feed(german_window: MainWindow, qtbot: QtBot) -> None:
    window = opened(german_window, qtbot)
    view = window.attention_view
    assert title(window) == "Cross-attention, layer 2 head 1, teacher-forced · step 0"
    for key in (Key.Key_Right, Key.Key_Up):
        qtbot.keyClick(view.map.canvas, key, ALT)
    assert title(window) == "Cross-attention, layer 1 head 2, teacher-forced · step 0"
    qtbot.keyClick(view.map.canvas, Key.Key_F, ALT)
    assert title(window) == "Cross-attention, layer 1 head 2, free-running · step 0"
    qtbot.keyClick(view.map.canvas, Key.Key_K, ALT)
    assert title(window) == "Encoder self-attention, layer 1 head 2 · step 0"
    assert not view.chooser.feed_combo.isEnabled()
    assert view.chooser.feed_combo.toolTip() == "The encoder reads only the source"


def test_keys_go_through_the_sentences_of_data_prepared_while_this_view_is_open(
    german_window: MainWindow, small_file: Path, qtbot: QtBot
) -> None:
    window = opened(german_window, qtbot)
    before, shown = window.context.bridge.history.probes.sentences, window.attention_view.sentence_row
    window.setup_drawer.open_file(small_file)
    history = window.context.bridge.history
    qtbot.waitUntil(lambda: bool(history.probes.steps) and history.probes.sentences != before, timeout=WAIT_MS)
    for key, index in ((Key.Key_BracketRight, 1), (Key.Key_BracketRight, 2), (Key.Key_BracketLeft, 1)):
        qtbot.keyClick(window, key)
        title(window)
        assert shown.source_label.text() == history.probes.sentences[index]


def test_chooser_and_grid_show_and_change_the_same_selection(german_window: MainWindow, qtbot: QtBot) -> None:
    window = opened(german_window, qtbot)
    view, selection = window.attention_view, window.context.selection
    title(window)
    first = view.grid.canvas.cell(0, 1).center().toPoint()
    qtbot.mouseClick(view.grid.canvas, Qt.MouseButton.LeftButton, pos=first)
    assert (selection.chosen.kind, selection.chosen.layer, selection.chosen.head) == ("encoder_self", 0, 1)
    title(window)
    assert view.chooser.kind_combo.currentText() == "encoder self"
    assert (view.chooser.layer_spin.text(), view.chooser.head_spin.text()) == ("1 of 2", "2 of 2")
    qtbot.keyClick(view.chooser.layer_spin, Key.Key_Up)
    qtbot.keyClick(view.chooser.head_spin, Key.Key_Up)  # wraps around from the last head to the first
    assert (selection.chosen.layer, selection.chosen.head) == (1, 0)
    type_into(view.chooser.kind_combo, qtbot, "d")
    assert selection.chosen.kind == "decoder_self"


def type_into(combo: QComboBox, qtbot: QtBot, letter: str) -> None:
    """Choose an item by its first letter in a closed combo box."""
    combo.setFocus()
    qtbot.keyClicks(combo, letter)


def test_the_grid_shows_all_kinds_or_the_chosen_one_and_controls_are_named(
    german_window: MainWindow, qtbot: QtBot
) -> None:
    window = opened(german_window, qtbot)
    view, chooser = window.attention_view, window.attention_view.chooser
    controls = (chooser.kind_combo, chooser.layer_spin, chooser.head_spin, chooser.feed_combo, chooser.scale_box)
    for control in (*controls, view.all_kinds_box):
        assert control.accessibleName() and control.toolTip()
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus
    title(window)
    with_all = view.grid.canvas.cell(0, 0).height()
    qtbot.mouseClick(view.all_kinds_box, Qt.MouseButton.LeftButton)
    title(window)
    assert view.grid.canvas.cell(0, 0).height() > with_all
    assert view.grid.canvas.chosen_cell() == (1, 0)  # of the two cross layers


def test_the_view_follows_the_playhead(german_window: MainWindow, learn: Callable[[int], None], qtbot: QtBot) -> None:
    window = opened(german_window, qtbot)
    untrained = window.attention_view.map.canvas.grab().toImage()
    learn(30)
    assert title(window).endswith("step 30")
    assert window.attention_view.map.canvas.grab().toImage() != untrained
    window.context.playhead.view(0)
    assert title(window).endswith("step 0")
    qtbot.waitUntil(  # after the layout has changed
        lambda: window.attention_view.map.canvas.grab().toImage() == untrained, timeout=WAIT_MS
    )


def test_the_square_root_scale_changes_the_colours(german_window: MainWindow, qtbot: QtBot) -> None:
    window = opened(german_window, qtbot)
    view = window.attention_view
    title(window)
    linear = view.map.canvas.grab().toImage()
    view.chooser.scale_box.click()
    title(window)
    assert view.map.canvas.grab().toImage() != linear


def test_a_typed_sentence_is_only_free_running(german_window: MainWindow, qtbot: QtBot) -> None:
    window = opened(german_window, qtbot)
    view = window.attention_view
    view.sentence_row.add_button.click()
    qtbot.keyClicks(view.sentence_row.add_edit, "ich will")
    qtbot.keyClick(view.sentence_row.add_edit, Key.Key_Return)
    qtbot.waitUntil(lambda: "free-running" in title(window), timeout=WAIT_MS)
    assert view.sentence_row.source_label.text() == "ich will"
    assert not view.chooser.feed_combo.isEnabled()
    assert "no reference" in view.chooser.feed_combo.toolTip()
    view.sentence_row.next_button.click()
    assert "teacher-forced" in title(window)


def test_titles_do_not_overlap_buttons_at_any_zoom(german_window: MainWindow, qtbot: QtBot) -> None:
    window = opened(german_window, qtbot)
    view = window.attention_view
    window.resize(1280, 720)
    for zoom in (100, 150, 200):
        window.context.theme.set_zoom(zoom)
        title(window)
        view.grid.set_title(LONG_TITLE)  # as if a head had found the alignment; a redraw would restore its title
        QApplication.sendPostedEvents()  # completes the layout
        assert view.grid.title_label.text() == LONG_TITLE
        for panel in (view.map, view.grid):
            others = [not_none(panel.header.itemAt(index)).widget() for index in range(1, panel.header.count())]
            buttons = [widget for widget in others if widget is not None and widget.isVisible()]
            assert panel.minimumSizeHint().width() <= panel.width(), "a title must not widen its panel"
            assert buttons and panel.rect().contains(panel.title_label.geometry()), zoom
            for button in buttons:
                assert panel.rect().contains(button.geometry()), (button.accessibleName(), zoom)
                assert not panel.title_label.geometry().intersects(button.geometry()), (button.accessibleName(), zoom)


def test_lines_are_chosen_for_all_views(german_window: MainWindow, qtbot: QtBot) -> None:
    window = opened(german_window, qtbot)
    view = window.attention_view
    qtbot.keyClick(view.map.canvas, Key.Key_L, ALT)
    qtbot.waitUntil(view.map.lines.isVisible, timeout=WAIT_MS)
    assert view.chooser.lines_box.isChecked()
    window.show_view(VIEWS.index(type(window.train_view)))
    qtbot.waitUntil(window.train_view.attention_map.lines.isVisible, timeout=WAIT_MS)


def test_with_a_tokenizer_other_than_the_plugins_no_head_is_scored(empty_window: MainWindow, qtbot: QtBot) -> None:
    """The gold alignment links letters, while the tokens are words."""
    bridge, drawer = empty_window.context.bridge, empty_window.setup_drawer
    empty_window.context.workbench.replace_draft(read_preset("reverse", ("model.d_model=16", "model.d_ff=16")))
    qtbot.waitUntil(lambda: bridge.history.probes.alignment.best(0) is not None, timeout=WAIT_MS)
    box = drawer.forms.form("dataset").rows["dataset.tokenizer"].editor
    assert isinstance(box, QCheckBox) and not box.isChecked()
    box.click()  # changes nothing by itself
    qtbot.keyClick(drawer.forms.form("dataset").rows["dataset.tokenizer.src"].editor, Key.Key_W)  # whitespace
    qtbot.waitUntil(
        lambda: bridge.history.probes.alignment.best(0) is None and bool(bridge.history.probes.steps), timeout=WAIT_MS
    )
    opened(empty_window, qtbot)
    title(empty_window)
    grid = empty_window.attention_view.grid
    assert grid.title_label.text() == f"{grid.title} · step 0" and not grid.is_empty


def test_the_figures_without_a_head_are_in_sight_even_on_a_projector(german_window: MainWindow, qtbot: QtBot) -> None:
    window = opened(german_window, qtbot)
    window.resize(1280, 720)
    window.context.theme.set_zoom(150)
    title(window)
    view = window.attention_view
    (page,) = view.findChildren(ScrollingPage)
    qtbot.waitUntil(lambda: page.verticalScrollBar().maximum() == 0, timeout=WAIT_MS)
    figures = view.ablation_panel
    qtbot.keyClick(view.map.canvas, Key.Key_X, ALT)
    assert page.verticalScrollBar().value() > 0, "at once: a turn of the event loop later may be before it is laid out"
    qtbot.waitUntil(lambda: not figures.is_empty and not figures.is_dirty, timeout=WAIT_MS)

    def is_in_sight() -> bool:
        top = figures.mapTo(page.viewport(), QPoint(0, 0)).y()
        return top >= 0 and top + figures.height() <= page.viewport().height()

    qtbot.waitUntil(is_in_sight, timeout=WAIT_MS)
