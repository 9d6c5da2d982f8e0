"""The Translate view, operated by mouse and keyboard."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from core.answers.beam_tree import BeamNode, BeamOutput, BeamTree
from core.answers.translation import Translation
from core.settings.presets import read_preset
from gui.main_window import VIEWS, MainWindow
from gui.panels.translation.probability_delegate import PROBABILITY
from gui.runs.rows import EXAMPLE_NAME, example_path
from gui.runs.run_names import run_name
from gui.sentences.divergence import NOT_A_NUMBER
from gui.theme import GRID
from gui.views.translate import HINT, TranslateView, unknown_note
from tests.gui.conftest import WAIT_MS
from tests.gui.legible import cut_texts
from tests.gui.not_none import not_none
from tests.gui.tables import column_texts, item_at
from tests.gui.windows import window_of

Learn = Callable[[int], None]


@pytest.fixture
def view(german_window: MainWindow, qtbot: QtBot) -> TranslateView:
    """The open Translate view, with its first example translated by the untrained model."""
    german_window.show_view(VIEWS.index(type(german_window.translate_view)))
    qtbot.waitUntil(lambda: german_window.translate_view.typed.translation is not None, timeout=WAIT_MS)
    return german_window.translate_view


def enter(view: TranslateView, qtbot: QtBot, text: str) -> None:
    """Type a text, press Enter and wait for the answer."""
    view.typed.translation = view.typed.error = None
    view.source_edit.setText(text)
    qtbot.keyClick(view.source_edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(view.typed.translation or view.typed.error), timeout=WAIT_MS)
    draw(view)


def draw(view: TranslateView) -> None:
    """Draw every panel that is out of date."""
    while any(panel.is_dirty and panel.isVisible() for panel in view.panels):
        view.context.redraw_scheduler.draw()


def draw_until(view: TranslateView, qtbot: QtBot, holds: Callable[[], bool]) -> None:
    """Draw what is out of date until the condition holds."""

    def is_drawn() -> bool:
        draw(view)
        return holds()

    qtbot.waitUntil(is_drawn, timeout=WAIT_MS)


def translation_of(view: TranslateView) -> Translation:
    return not_none(view.typed.translation)


def tree_of(view: TranslateView) -> BeamTree:
    return not_none(view.beam.canvas.tree)


def choose_weights(view: TranslateView, qtbot: QtBot, text: str) -> Translation:
    """Choose weights by the text of their item, and wait for their translation."""
    before = view.typed.translation
    row = view.weights_combo.findText(text)
    assert row >= 0, [view.weights_combo.itemText(index) for index in range(view.weights_combo.count())]
    view.weights_combo.setCurrentIndex(row)
    view.weights_combo.activated.emit(row)
    qtbot.waitUntil(lambda: view.typed.translation not in (None, before), timeout=WAIT_MS)
    return translation_of(view)


def show_page(view: TranslateView, name: str) -> None:
    (page,) = (one for one in view.pages.buttons if one.text() == name)
    page.click()


def probabilities(translation: Translation) -> list[float]:
    return not_none(translation.sentence).free_running.output_probability.tolist()


def test_no_weights_of_a_run_are_offered_once_nothing_is_prepared(
    window: MainWindow, qtbot: QtBot, small_file: Path, wait_for_state: Callable[[str], None]
) -> None:
    view = window.translate_view
    window.context.workbench.learn(3)
    wait_for_state("paused")
    window.show_view(VIEWS.index(type(view)))
    qtbot.waitUntil(lambda: view.typed.translation is not None, timeout=WAIT_MS)
    choose_weights(view, qtbot, "step 2")
    small_file.write_text(small_file.read_text(encoding="utf-8").replace("min_length: 3", "min_length: 9"), "utf-8")
    window.setup_drawer.open_file(small_file)
    window.context.workbench.reset()  # to data that its plugin refuses
    wait_for_state("empty")
    qtbot.waitUntil(lambda: window.context.bridge.history.prepared is None, timeout=WAIT_MS)
    combo = view.weights_combo
    assert [combo.itemText(index) for index in range(combo.count())] == ["at the playhead", "now"]
    assert combo.currentText() == "at the playhead"


def test_before_training_an_example_is_translated_in_two_tracks(view: TranslateView, qtbot: QtBot) -> None:
    draw(view)
    assert view.source_edit.text() == view.context.bridge.history.probes.sentences[0]
    assert view.tokens.title_label.text() == "Translation · weights of step 0"
    assert view.map.title_label.text() == "Cross-attention, layer 2 head 1, free-running · step 0"
    assert view.source_edit.hasFocus() and view.source_edit.hasSelectedText()  # so that typing replaces it
    probed = not_none(view.context.bridge.history.probes.at(0)).sentences[0]
    fed, free = view.tracks.canvas.tracks
    assert view.reference_edit.text() == probed.reference
    assert fed.tokens == not_none(probed.by_reference).tgt_output and free.tokens == probed.free_running.tgt_output
    assert view.tracks.verdict_label.text().startswith("✗ From the first token on the reference has")
    assert len(view.tracks.numbers()) == 1 + len(fed.tokens) + len(free.tokens)
    qtbot.keyClick(view.tracks.canvas, Qt.Key.Key_Home)
    assert view.tokens.table.currentRow() == 0
    assert view.tracks.canvas.accessibleDescription().startswith(f"{view.tracks.verdict_label.text()} Place 1: ")
    qtbot.keyClick(view.tracks.canvas, Qt.Key.Key_Right)
    assert view.tokens.table.currentRow() == 1


def test_each_token_has_its_probability_and_other_candidates(view: TranslateView, learn: Learn, qtbot: QtBot) -> None:
    learn(40)
    enter(view, qtbot, "ich mochte ein bier")
    table, translation = view.tokens.table, translation_of(view)
    assert column_texts(table, 0) == list(not_none(translation.sentence).free_running.tgt_output)
    for row in range(table.rowCount()):
        cells = [item_at(table, row, column) for column in range(table.columnCount())]
        shares = [cell.data(PROBABILITY) for cell in cells]
        assert shares == sorted(shares, reverse=True) and sum(shares) <= 1.001
        assert len({cell.text() for cell in cells}) == len(cells)
        assert cells[0].data(Qt.ItemDataRole.AccessibleTextRole).startswith(f"{cells[0].text()}, probability 0.")
    assert view.tokens.output_label.text() == (translation.output or "(nothing: &lt;eos&gt; came first)")


def test_the_sentence_continues_from_a_clicked_token(view: TranslateView, qtbot: QtBot) -> None:
    draw(view)
    first, table = translation_of(view), view.tokens.table
    other, place = item_at(table, 1, 2).text(), table.visualItemRect(item_at(table, 1, 2)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: view.typed.translation not in (None, first), timeout=WAIT_MS)
    prefixed, before = translation_of(view), not_none(first.sentence).free_running
    assert prefixed.prefix == (before.tgt_output[0], other)
    assert not_none(prefixed.sentence).free_running.tgt_output[:2] == prefixed.prefix
    draw(view)
    assert item_at(table, 1, 0).text() == other and view.tokens.undo_button.isVisible()
    assert view.tracks.canvas.tracks[-1].name == "free after your choice"
    qtbot.keyClick(table, Qt.Key.Key_Home)
    table.setCurrentCell(0, 1)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(translation_of(view).prefix) == 1, timeout=WAIT_MS)
    draw(view)
    view.tokens.undo_button.click()
    qtbot.waitUntil(lambda: translation_of(view).prefix == (), timeout=WAIT_MS)
    assert probabilities(translation_of(view)) == probabilities(first)
    draw(view)
    assert not view.tokens.undo_button.isVisible()


def test_the_first_difference_of_long_tracks_is_shown_until_a_position_is_chosen(
    view: TranslateView, qtbot: QtBot
) -> None:
    long = ("dataset.options.min_length=30", "dataset.options.max_length=30", "model.d_model=16", "model.d_ff=16")
    view.context.workbench.replace_draft(
        read_preset("copy_task", (*long, "model.num_heads=2", "training.num_threads=1"))
    )
    history = view.context.bridge.history
    qtbot.waitUntil(lambda: any(len(one.split()) == 30 for one in history.probes.sentences), timeout=WAIT_MS)
    enter(view, qtbot, history.probes.sentences[0])
    copied, other = view.reference_edit.text().split(), view.typed.translation
    wrong = next(symbol for symbol in copied if symbol != copied[1])
    view.typed.continue_from((copied[0], *[wrong] * 29))
    qtbot.waitUntil(lambda: view.typed.translation is not other, timeout=WAIT_MS)
    draw(view)
    canvas, area = view.tracks.canvas, view.tracks._area
    qtbot.waitUntil(lambda: canvas.width() > area.width(), timeout=WAIT_MS)

    def sees(place: int) -> bool:
        head = not_none(canvas._layout).number_rect(place).translated(canvas.x(), 0)
        return canvas.names_width <= head.left() and head.right() <= area.viewport().width()

    assert view.tracks.verdict_label.text().startswith("✗ The same up to token 1;")
    assert sees(1) and view.position.is_last and not sees(view.position.index)
    qtbot.keyClick(canvas, Qt.Key.Key_End)
    assert sees(view.position.index) and view.position.is_last and not sees(1)


def test_a_typed_reference_is_fed_and_dropped_with_its_sentence(view: TranslateView, qtbot: QtBot) -> None:
    enter(view, qtbot, "ich mochte bier")
    assert len(view.tracks.canvas.tracks) == 1 and "Type the right answer" in view.tracks.verdict_label.text()
    view.typed.translation = None
    qtbot.keyClicks(view.reference_edit, "i want a beer")
    qtbot.keyClick(view.reference_edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.typed.translation is not None, timeout=WAIT_MS)
    draw(view)
    assert view.tracks.canvas.tracks[0].tokens == ("i", "want", "a", "beer", "<eos>")
    qtbot.keyClicks(view.source_edit, " x")
    view.typed.changed.emit()  # the sentence before is translated again, as while the model learns
    assert view.reference_edit.text() == ""


def test_greedy_and_beam_search_are_shown_side_by_side(view: TranslateView, learn: Learn, qtbot: QtBot) -> None:
    learn(20)
    qtbot.waitUntil(lambda: translation_of(view).step == 20, timeout=WAIT_MS)
    show_page(view, "Beam search")
    draw_until(view, qtbot, lambda: not view.beam.is_empty)
    tree = tree_of(view)
    assert tree.beam_size == 4 and tree.step == 20 and len(view.beam.numbers()) == 1 + len(tree.nodes)
    assert tree.greedy.output == translation_of(view).output
    assert view.beam.verdict_label.text() and view.beam.title_label.text().endswith("weights of step 20")
    before = view.beam.readout_label.text()
    qtbot.keyClick(view.beam.canvas, Qt.Key.Key_Right)
    assert view.beam.readout_label.text() == view.beam.canvas.accessibleDescription() != before
    qtbot.keyClick(view.beam.canvas, Qt.Key.Key_Left)
    assert view.beam.readout_label.text() == before
    assert_boxes_hold_their_tokens(view)
    for _ in range(3):
        qtbot.keyClick(view, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    draw(view)
    assert view.context.theme.zoom == 150
    assert_boxes_hold_their_tokens(view)
    view.beam.size_spin.setValue(2)
    draw_until(view, qtbot, lambda: tree_of(view).beam_size == 2)
    assert {node.rank for node in tree_of(view).nodes} == {0, 1}


class LayoutRequests(QObject):
    """Counts the layout requests of a widget."""

    number = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.number += event.type() == QEvent.Type.LayoutRequest
        return False


def assert_layout_changes_only_for_more_lines(view: TranslateView, qtbot: QtBot) -> None:
    """Require that moving through the tree requests a layout only where the readout needs more lines than before."""
    canvas, label, layout_requests = view.beam.canvas, view.beam.readout_label, LayoutRequests()
    small = tree_of(view)
    view.beam._draw(large_tree())
    qtbot.waitUntil(lambda: cut_texts(view.beam) == [], timeout=WAIT_MS)
    heights = set[int]()
    for key in (*[Qt.Key.Key_Right] * 29, *[Qt.Key.Key_Left] * 29):
        qtbot.keyClick(canvas, key)
        QApplication.processEvents()
        assert label.text() == canvas.accessibleDescription() and cut_texts(view.beam) == []
        heights.add(label.heightForWidth(label.width()))
    assert len(heights) > 1 and label.height() == max(heights)  # even the first, short readout has that height
    view.pages.installEventFilter(layout_requests)
    for key in (*[Qt.Key.Key_Right] * 29, *[Qt.Key.Key_Left] * 29):
        qtbot.keyClick(canvas, key)
        QApplication.processEvents()
    assert layout_requests.number == 0
    view.beam._draw(small)
    qtbot.waitUntil(lambda: label.height() == label.heightForWidth(label.width()) < max(heights), timeout=WAIT_MS)


def test_keys_move_through_a_tree_larger_than_its_space(view: TranslateView, qtbot: QtBot) -> None:
    show_page(view, "Beam search")
    draw_until(view, qtbot, lambda: not view.beam.is_empty)
    assert_layout_changes_only_for_more_lines(view, qtbot)
    canvas, area = view.beam.canvas, view.beam._area
    canvas.show_tree(large_tree())
    qtbot.waitUntil(lambda: canvas.width() > 2 * area.width() and canvas.height() > area.height(), timeout=WAIT_MS)

    def sees_mark() -> bool:
        mark = not_none(canvas._layout).box(canvas._node).translated(QPointF(canvas.pos()))
        return QRectF(area.viewport().rect()).contains(mark)

    for key in (*[Qt.Key.Key_Right] * 29, *[Qt.Key.Key_Down] * 9, *[Qt.Key.Key_Left] * 29, *[Qt.Key.Key_Up] * 9):
        before = canvas._node
        qtbot.keyClick(canvas, key)
        QApplication.processEvents()  # the readout may need another line
        assert canvas._node != before and sees_mark()
    box = not_none(canvas._layout).box(50).toRect()
    area.horizontalScrollBar().setValue(box.center().x())
    position = canvas.pos()
    qtbot.mouseMove(canvas, box.topRight() + QPoint(-4, 4))
    qtbot.waitUntil(lambda: canvas._node == 50, timeout=WAIT_MS)
    assert canvas.pos() == position  # the mouse does not scroll
    for _ in range(9):
        qtbot.keyClick(canvas, Qt.Key.Key_Down)
    area.resize(area.width(), area.height() - 2 * GRID)  # as when another part needs more space
    assert sees_mark()


def large_tree() -> BeamTree:
    """A tree of 30 positions with ten hypotheses, none of which is cut."""
    nodes = tuple(
        BeamNode(
            parent=(position - 1) * 10 + rank if position else -1,
            position=position,
            rank=rank,
            token=f"token{position}",
            probability=0.5,
            log_probability=-1.0,
            fate="went on",
        )
        for position in range(30)
        for rank in range(10)
    )
    best = BeamOutput(output="", tokens=tuple(f"token{position}" for position in range(30)), score=-1.0)
    return BeamTree(step=0, source="", beam_size=10, length_penalty=0.6, nodes=nodes, outputs=(best,), greedy=best)


def test_beam_search_continues_from_the_chosen_token_and_is_only_shown_for_its_sentence(
    view: TranslateView, qtbot: QtBot
) -> None:
    draw(view)
    show_page(view, "Beam search")
    continue_from_another_token(view, qtbot)
    translation = translation_of(view)
    draw_until(view, qtbot, lambda: not view.beam.is_empty)
    draw_until(view, qtbot, lambda: tree_of(view).nodes[0].token == translation.prefix[0])
    tree = tree_of(view)
    assert tree.greedy.output == translation.output
    assert {one.tokens[:1] for one in tree.outputs} == {translation.prefix}

    history = view.context.bridge.history
    view.typed.translation = replace(translation_of(view), source="ich möchte ein Bier")
    view.beam.query.answer = tree  # the newest answer
    view.beam.show_step(history, 0)
    assert view.beam.is_empty


def assert_boxes_hold_their_tokens(view: TranslateView) -> None:
    """At any zoom, no token of the tree is cut, and the canvas is as wide as it needs."""
    canvas, metrics = view.beam.canvas, QFontMetricsF(view.context.theme.token_font())
    for index, node in enumerate(tree_of(view).nodes):
        assert not_none(canvas._layout).box(index).width() >= metrics.horizontalAdvance(f"✗ {node.token}") + GRID
    assert canvas.minimumWidth() == canvas.sizeHint().width()


def test_a_sentence_is_compared_between_two_weights(view: TranslateView, learn: Learn, qtbot: QtBot) -> None:
    learn(20)
    qtbot.waitUntil(lambda: translation_of(view).step == 20, timeout=WAIT_MS)
    show_page(view, "Two weights")
    draw_until(view, qtbot, lambda: not view.other.is_empty)
    assert names_of(view) == ["step 20", "step 0", "step 20, teacher-forced", "step 0, teacher-forced"]
    view.other.weights_combo.chosen.emit(5)
    draw_until(view, qtbot, lambda: view.other.canvas.tracks[1].name == "step 5")
    shown = view.other.canvas.tracks[3].probabilities
    probed = not_none(not_none(view.context.bridge.history.probes.at(5)).sentences[0].by_reference).output_probability
    assert shown == pytest.approx(probed.tolist(), abs=1e-6)
    assert "nats a token" in view.other.verdict_label.text()
    with_another_run(view, qtbot)
    with_weights_of_one_step(view, qtbot)


def reselect_compared_run(view: TranslateView, qtbot: QtBot) -> None:
    view.other.run_combo.activated.emit(0)  # "this run", as before
    assert view.other.query.answer is None
    draw_until(view, qtbot, lambda: not view.other.is_empty)
    assert names_of(view)[:2] == ["step 0", "step 0"]


@pytest.mark.qt_log_ignore("This plugin does not support")  # the offscreen platform, when a popup opens
def test_the_list_of_runs_is_updated_once_it_is_closed(view: TranslateView, qtbot: QtBot) -> None:
    combo = view.other.run_combo
    show_page(view, "Two weights")
    qtbot.waitUntil(lambda: combo.findText(EXAMPLE_NAME) == 1, timeout=WAIT_MS)
    runs = view.other._runs
    combo.showPopup()
    combo.view().setCurrentIndex(combo.model().index(1, 0))  # the mouse is over this item
    view.other._handle_runs_read([])
    assert combo.count() == 2 and combo.view().currentIndex().row() == 1
    combo.hidePopup()
    view.other.mark_dirty()
    draw_until(view, qtbot, lambda: combo.count() == 1)
    view.other._handle_runs_read(runs)
    combo.activated.emit(1)
    assert view.other.run == runs[0] and combo.currentIndex() == 0
    draw(view)
    assert combo.currentIndex() == 1
    view.other._handle_runs_read([])
    assert view.other.run is None and combo.count() == 1 and not view.other.step_combo.isVisible()


def test_two_weights_are_compared_only_for_the_current_sentence(
    view: TranslateView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    show_page(view, "Two weights")
    draw_until(view, qtbot, lambda: not view.other.is_empty)
    assert view.other.verdict_label.text().startswith("= Both write the same.")
    reselect_compared_run(view, qtbot)
    for choose in (lambda: enter(view, qtbot, "ich mochte bier"), lambda: continue_from_another_token(view, qtbot)):
        with monkeypatch.context() as slow:  # the second translation is pending
            slow.setattr(view.other.query, "submit", lambda *_, **__: None)
            choose()
            assert view.other.is_empty and view.other.empty_label.text() == "Translating …"
        view.other.mark_dirty()
        draw_until(view, qtbot, lambda: not view.other.is_empty)
        assert view.other.verdict_label.text().startswith("= Both write the same.")


def continue_from_another_token(view: TranslateView, qtbot: QtBot) -> None:
    """Have the output begin with another candidate, and wait for it."""
    view.tokens.table.setCurrentCell(0, 1)
    qtbot.keyClick(view.tokens.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(translation_of(view).prefix) == 1, timeout=WAIT_MS)
    draw(view)


def with_another_run(view: TranslateView, qtbot: QtBot) -> None:
    """Require that the earlier run can be compared with the next one, with the translation that it made itself."""
    before, name = translation_of(view), run_name(not_none(view.context.bridge.history.folder))
    view.context.workbench.reset(seed=5)
    combo = view.other.run_combo
    qtbot.waitUntil(lambda: combo.findText(name) > 0 and view.typed.translation is not None, timeout=WAIT_MS)
    assert translation_of(view).step == 0
    combo.setCurrentText(name)
    combo.activated.emit(combo.currentIndex())
    draw_until(view, qtbot, lambda: "other run, step 20" in names_of(view))
    other = view.other.canvas.tracks[names_of(view).index("other run, step 20")]
    assert list(other.probabilities) == pytest.approx(probabilities(before), abs=1e-6)
    assert view.other.step_combo.isVisible() and not view.other.weights_combo.isVisible()
    view.other.step_combo.setCurrentText("step 5")
    view.other.step_combo.activated.emit(view.other.step_combo.currentIndex())
    draw_until(view, qtbot, lambda: "other run, step 5" in names_of(view))


def with_weights_of_one_step(view: TranslateView, qtbot: QtBot) -> None:
    """Require that a run with one step's weights asks to choose another run."""
    workbench, empty = view.context.workbench, view.other.empty_label
    workbench.open_run(example_path())
    qtbot.waitUntil(lambda: workbench.run == example_path() and not workbench.is_opening, timeout=WAIT_MS)
    chosen = "This run kept only the weights of step 800: choose another run above"
    draw_until(view, qtbot, lambda: empty.text().startswith(chosen))
    assert view.other.run_combo.count() == 2  # the other one has learned a step
    view.other._handle_runs_read([])
    draw_until(view, qtbot, lambda: "Once another run on this dataset" in empty.text())


def names_of(view: TranslateView) -> list[str]:
    return [track.name for track in view.other.canvas.tracks]


def test_it_translates_during_training_and_follows_it(
    german_window: MainWindow, view: TranslateView, qtbot: QtBot
) -> None:
    german_window.context.workbench.edit("training.max_steps", 100_000)
    german_window.context.workbench.learn()
    qtbot.waitUntil(lambda: german_window.context.bridge.history.last_step > 5, timeout=WAIT_MS)
    enter(view, qtbot, "ich mochte ein bier")
    first = translation_of(view)
    assert first.step > 0
    assert german_window.context.bridge.state == "learning"
    qtbot.waitUntil(lambda: translation_of(view).step > first.step, timeout=WAIT_MS)
    german_window.context.workbench.toggle()
    qtbot.waitUntil(lambda: german_window.context.bridge.state == "paused", timeout=WAIT_MS)
    last_step = german_window.context.bridge.history.last_step
    qtbot.waitUntil(lambda: translation_of(view).step == last_step, timeout=WAIT_MS)


def test_it_uses_kept_weights_and_follows_the_playhead_to_the_nearest_ones_while_it_is_visible(
    german_window: MainWindow, view: TranslateView, learn: Learn, qtbot: QtBot
) -> None:
    untrained = translation_of(view)
    german_window.show_view(0)
    learn(30)
    qtbot.wait(400)
    assert view.typed.translation is untrained
    german_window.show_view(VIEWS.index(type(view)))
    qtbot.waitUntil(lambda: translation_of(view).step == 30, timeout=WAIT_MS)
    assert probabilities(translation_of(view)) != probabilities(untrained)
    reloaded = choose_weights(view, qtbot, "step 0")
    assert reloaded.step == 0
    assert probabilities(reloaded) == pytest.approx(probabilities(untrained), abs=1e-6)
    assert choose_weights(view, qtbot, "now").step == 30
    view.weights_combo.setCurrentIndex(0)
    view.weights_combo.activated.emit(0)
    view.context.playhead.view(7)
    qtbot.waitUntil(lambda: translation_of(view).step == 5, timeout=WAIT_MS)  # probes at 0 1 2 3 5 8 13 ...
    draw(view)
    assert view.tokens.title_label.text() == "Translation · weights of step 5 (the nearest kept step before 7)"
    view.context.playhead.go_live()
    qtbot.waitUntil(lambda: translation_of(view).step == 30, timeout=WAIT_MS)
    enter(view, qtbot, "ich mochte bier")
    qtbot.waitUntil(lambda: not view.typed._throttle.isActive(), timeout=WAIT_MS)
    view.context.playhead.view(7)
    draw(view)  # before the answer comes
    assert view.tokens.title_label.text() == "Translation · weights of step 30"
    assert_sentence_field_fills_its_row_on_a_projector(view, qtbot)


def assert_sentence_field_fills_its_row_on_a_projector(view: TranslateView, qtbot: QtBot) -> None:
    """Require it of a run that has learned: the names of kept weights are long."""
    window_of(view).resize(1280, 720)
    view.context.theme.set_zoom(150)
    qtbot.waitUntil(lambda: view.translate_button.y() > view.source_edit.y(), timeout=WAIT_MS)
    qtbot.waitUntil(
        lambda: not_none(view.weights_combo.parentWidget()).y() == view.translate_button.y(), timeout=WAIT_MS
    )
    assert view.source_edit.width() > view.width() // 3
    view.context.theme.set_zoom(100)
    qtbot.waitUntil(lambda: view.translate_button.y() == view.source_edit.y(), timeout=WAIT_MS)


def test_any_text_is_read_and_unknown_tokens_and_errors_are_noted_beside_the_field(
    view: TranslateView, qtbot: QtBot
) -> None:
    enter(view, qtbot, "ich mochte ein kaffee")
    assert view.note_label.isVisible()
    assert view.note_label.text() == "“kaffee” is not in the vocabulary: read as <unk>."
    assert view.tokens.tokens_label.text().endswith("<unk>  <eos>")
    assert not_none(view.map.canvas.picture).columns[-2] == "<unk>"

    for text in ("🙂 🙃", "שלום עולם", "a\u2028b", "<b>fett</b>", "é" * 10_000):
        enter(view, qtbot, text)
        assert "not in the vocabulary" in view.note_label.text(), text[:20]
        assert not window_of(view).trouble_strip.isVisible(), text[:20]
    for text, expected in (
        ("  ", "the text is empty"),
        ("ein " * 50, "has 51 tokens"),
        ("ein " * 10_000, "has 10,001 tokens"),  # more characters than Qt lets into a field by itself
    ):
        enter(view, qtbot, text)
        assert view.note_label.isVisible() and expected in view.note_label.text()
        assert not window_of(view).trouble_strip.isVisible()
        assert "press Enter, or pick an example" in view.tokens.empty_label.text()
    enter(view, qtbot, "ich mochte ein bier")
    assert view.note_label.text() == HINT
    enter(view, qtbot, "ich mochte ein bier ich mochte")
    assert view.note_label.isVisible() and "The text has 7 tokens" in view.note_label.text()
    assert_a_note_moves_nothing(view, qtbot)


def assert_a_note_moves_nothing(view: TranslateView, qtbot: QtBot) -> None:
    """Require that the rest of the view stays where it is, also when zoomed."""
    for _ in range(2):
        enter(view, qtbot, "ich mochte ein bier")
        QApplication.processEvents()
        assert view.note_label.text() == HINT
        before = view.tracks.geometry()
        enter(view, qtbot, "ich mochte ein kaffee")
        QApplication.processEvents()
        assert "not in the vocabulary" in view.note_label.text() and cut_texts(view.note_label) == []
        assert view.tracks.geometry().topLeft() == before.topLeft()
        qtbot.keyClick(view, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)


def test_a_diverged_model_is_named_with_what_to_do_about_it(view: TranslateView, qtbot: QtBot) -> None:
    show_page(view, "Two weights")
    draw_until(view, qtbot, lambda: not view.other.is_empty)
    translation = translation_of(view)
    probed = not_none(translation.sentence)
    feed = replace(probed.free_running, output_probability=np.full_like(probed.free_running.output_probability, np.nan))
    view.typed.translation = replace(translation, sentence=replace(probed, free_running=feed))
    view.typed.changed.emit()
    draw_until(view, qtbot, lambda: view.tokens._shown is view.typed.translation)
    assert view.note_label.text().startswith("With the weights of step 0 the probabilities are not a number (NaN)")
    assert "Choose the weights of an earlier step" in view.note_label.text()
    texts = [label.text() for label in (view.tracks.verdict_label, view.other.verdict_label, view.tokens.readout_label)]
    assert texts == [NOT_A_NUMBER] * 3


def test_an_example_is_picked_from_the_menu_and_a_field_shows_the_beginning_of_its_sentence(
    view: TranslateView, qtbot: QtBot
) -> None:
    view.source_edit.setFixedWidth(60)
    view.reference_edit.setFixedWidth(60)

    def first_seen(edit: QLineEdit) -> int:
        edit.grab()  # it scrolls when it is painted
        return edit.cursorPositionAt(QPoint(12, edit.height() // 2))

    sources = view.context.bridge.history.probes.sentences
    assert first_seen(view.source_edit) <= 1  # the offered sentence, all selected
    view.translate(sources[1])
    qtbot.waitUntil(lambda: translation_of(view).source == sources[1], timeout=WAIT_MS)
    assert view.reference_edit.text() and first_seen(view.source_edit) <= 1 and first_seen(view.reference_edit) <= 1
    view.source_edit.setFocus()
    qtbot.keyClick(view.source_edit, Qt.Key.Key_End)
    qtbot.keyClicks(view.source_edit, " und")
    assert first_seen(view.source_edit) > 1

    view.examples.fill()
    texts = [action.text() for action in view.examples.actions() if not action.isSeparator()]
    assert len(texts) == len(set(texts)) >= 3
    view.examples.actions()[-1].trigger()
    assert view.source_edit.text() == texts[-1]
    qtbot.waitUntil(lambda: translation_of(view).source == texts[-1], timeout=WAIT_MS)


def assert_titles_are_the_texts_of_their_buttons(view: TranslateView) -> None:
    _, *names = (button.text() for button in view.pages.buttons)  # the first button names the shown head
    assert names == [panel.title for panel in (view.grid, view.beam, view.other)]
    sides = window_of(view).runs_view.comparison_pages
    _, *names = (button.text() for button in sides.buttons)  # the first page has losses and a table
    for name, panel in zip(names, (sides.attention, sides.translations), strict=True):
        assert panel.title.startswith(f"{name} of the chosen runs")


def assert_controls_of_a_head_have_one_line(view: TranslateView, qtbot: QtBot) -> None:
    parts = (view.chooser.kind_combo, view.chooser.head_spin, view.chooser.scale_box)

    def is_one_line() -> bool:
        middles = [part.mapTo(view.chooser, part.rect().center()).y() for part in parts]
        return max(middles) - min(middles) <= 2

    qtbot.waitUntil(is_one_line, timeout=WAIT_MS)


def test_keys_choose_the_head_and_every_control_is_named_and_in_its_line(
    german_window: MainWindow, view: TranslateView, qtbot: QtBot
) -> None:
    draw(view)
    assert_titles_are_the_texts_of_their_buttons(view)
    assert_controls_of_a_head_have_one_line(view, qtbot)
    qtbot.keyClick(view.source_edit, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    draw(view)
    assert view.map.title_label.text() == "Cross-attention, layer 1 head 1, free-running · step 0"
    controls = (
        *(view.source_edit, view.reference_edit, view.examples_button, view.weights_combo, view.translate_button),
        *(view.tokens.table, view.tokens.first_button, view.tokens.forward_button, view.tracks.canvas),
    )
    for control in controls:
        assert control.accessibleName() and control.toolTip()
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert not view.chooser.feed_combo.isVisible()
    assert_reference_follows_its_label(german_window, view, qtbot)


def assert_reference_follows_its_label(window: MainWindow, view: TranslateView, qtbot: QtBot) -> None:
    (name,) = (label for label in view.findChildren(QLabel) if label.buddy() is view.reference_edit)
    assert name.text() == "reference"
    row = (view.source_edit, view.examples_button, name, view.reference_edit, view.weights_combo, view.translate_button)

    def fits() -> None:
        places = [QRect(one.mapTo(view, QPoint()), one.size()) for one in row]
        assert max(place.top() for place in places) < min(place.bottom() for place in places), "all must be in one line"
        assert all(left.right() < right.left() for left, right in itertools.pairwise(places))
        metrics, hint = QFontMetricsF(view.reference_edit.font()), view.reference_edit.placeholderText()
        assert metrics.horizontalAdvance(hint) + 2 * GRID < view.reference_edit.width()
        assert cut_texts(view) == []

    for width, height in ((1280, 720), (960, 600)):
        window.resize(width, height)
        qtbot.waitUntil(fits, timeout=WAIT_MS)


def test_keys_go_on_from_the_head_chosen_in_the_grid_of_all_heads(view: TranslateView, qtbot: QtBot) -> None:
    draw(view)
    selection, alt = view.context.selection, Qt.KeyboardModifier.AltModifier
    show_page(view, "All heads")
    kinds = []
    for _ in range(3):
        qtbot.keyClick(view, Qt.Key.Key_K, alt)
        draw(view)
        kinds.append(selection.chosen.kind)
    assert kinds == ["encoder_self", "decoder_self", "cross"]
    selection.choose(layer=0, head=1)  # as a click in the grid does
    draw(view)
    qtbot.keyClick(view, Qt.Key.Key_Left, alt)
    qtbot.keyClick(view, Qt.Key.Key_Down, alt)
    assert (selection.chosen.layer, selection.chosen.head) == (1, 0)


def test_the_note_on_unknown_tokens_is_in_words() -> None:
    assert unknown_note(()) == ""
    assert unknown_note(("a", "a")) == "“a” is not in the vocabulary: read as <unk>."
    assert unknown_note(("a", "b", "c")) == "“a”, “b” and “c” are not in the vocabulary: each is read as <unk>."
    many = unknown_note(tuple("abcdefg"))
    assert many == "“a”, “b”, “c”, “d”, “e” and 2 more are not in the vocabulary: each is read as <unk>."
    assert len(unknown_note(("x" * 10_000,))) < 80
