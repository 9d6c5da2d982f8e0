"""The Anatomy view, operated by mouse and keyboard."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from core.answers.anatomy import DotProduct
from core.run_folder import RunFolder
from gui.main_window import VIEWS, MainWindow
from gui.panels.anatomy.attention_stages import STAGES
from gui.panels.anatomy.dot_product import DotProductTopic
from gui.panels.anatomy.masks import MasksTopic
from gui.panels.anatomy.model_diagram import ModelTopic
from gui.panels.anatomy.topic import Topic
from gui.pictures.export_button import ExportButton
from gui.runs.rows import example_path
from gui.views.anatomy import AnatomyView
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import child_of, not_none
from tests.gui.windows import window_of

Kind = TypeVar("Kind", bound=Topic)


@pytest.fixture
def view(window: MainWindow, qtbot: QtBot) -> AnatomyView:
    """The open view, with its first topic drawn."""
    window.activateWindow()
    window.show_view(VIEWS.index(type(window.anatomy_view)))
    qtbot.waitUntil(lambda: not window.anatomy_view.topic.is_dirty, timeout=WAIT_MS)
    return window.anatomy_view


def opened(view: AnatomyView, qtbot: QtBot, kind: type[Kind]) -> Kind:
    """Choose a topic in the list and wait until it is drawn."""
    view.choose(kind)
    assert isinstance(view.topic, kind)
    qtbot.waitUntil(lambda: not view.topic.is_dirty and not view.topic.empty_label.isVisible(), timeout=WAIT_MS)
    return view.topic


def test_no_topic_is_built_before_the_view_is_opened(empty_window: MainWindow) -> None:
    assert empty_window.anatomy_view.built == {} and empty_window.anatomy_view.topics.count() == 0


def test_with_nothing_prepared_each_topic_says_what_to_do(empty_window: MainWindow, qtbot: QtBot) -> None:
    view = empty_window.anatomy_view
    empty_window.show_view(VIEWS.index(AnatomyView))
    for row in range(view.topics.count()):
        view.topics.setCurrentRow(row)
        qtbot.waitUntil(lambda: not view.topic.is_dirty, timeout=WAIT_MS)
        assert not view.topic.is_empty or view.topic.empty_label.text().startswith("Choose a dataset in Setup: "), row


def test_the_arrow_keys_reach_all_topics(view: AnatomyView, qtbot: QtBot) -> None:
    qtbot.waitUntil(view.topics.hasFocus, timeout=WAIT_MS)
    titles = [view.topic.title]
    while len(titles) < view.topics.count():
        qtbot.keyClick(view.topics, Qt.Key.Key_Down)
        qtbot.waitUntil(
            lambda: view.topic.isVisible() and not (view.topic.is_dirty or view.topic.is_empty), timeout=WAIT_MS
        )
        titles.append(view.topic.title)
    assert titles == [view.topics.item(index).text() for index in range(view.topics.count())]
    for topic in view.built.values():
        assert topic.about_label.text() and topic.equation_label.text() and "section" in topic.paper_label.text()
        rows = topic.numbers()
        assert len(rows) > 1 and all(len(row) == len(rows[0]) for row in rows)
        controls = [*topic.findChildren(QPushButton), *topic.findChildren(QComboBox)]
        controls += [*topic.findChildren(QAbstractSpinBox), *topic.findChildren(QLineEdit)]
        controls = [control for control in controls if not control.objectName().startswith("qt_")]  # a box's parts
        assert all(control.accessibleName() and control.toolTip() for control in controls)


def test_space_learns_from_the_list_of_topics(view: AnatomyView, qtbot: QtBot) -> None:
    qtbot.keyClick(view.topics, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: view.context.bridge.history.last_step > 0, timeout=WAIT_MS)


def test_the_code_is_shown_when_it_is_unfolded(view: AnatomyView, qtbot: QtBot) -> None:
    topic = view.topic
    assert topic.code_text.toPlainText() == "" and not topic.code_text.isVisible()
    qtbot.keyClick(topic.code.heading, Qt.Key.Key_Space)
    assert topic.code_text.isVisible()
    assert all(f" {place.rpartition(':')[2]}(" in topic.code_text.toPlainText() for place in topic.functions)


def test_masks_are_those_of_the_typed_sentence(view: AnatomyView, qtbot: QtBot) -> None:
    topic = opened(view, qtbot, MasksTopic)
    assert topic.target_edit.text()  # it begins with a sentence
    topic.target_edit.setFocus()
    topic.target_edit.selectAll()
    qtbot.keyClicks(topic.target_edit, "1 2")
    typed = ("<bos>", "1", "2", "<pad>", "<pad>")
    qtbot.waitUntil(lambda: not_none(topic.canvases[0].matrix).rows == typed, timeout=WAIT_MS)
    padding, causal, both = (not_none(not_none(canvas.matrix).hidden) for canvas in topic.canvases)
    for row, column in np.ndindex(5, 5):
        assert (padding[row, column], causal[row, column]) == (column >= 3, column > row)
        assert both[row, column] == (column >= 3 or column > row)
    for key, count in ((Qt.Key.Key_Down, 1), (Qt.Key.Key_Right, 3)):
        for _ in range(count):
            qtbot.keyClick(topic.canvases[2], key)
    readout = "Position 1 (“1”) may not read position 3 (“<pad>”): it is padding and it comes later."
    assert topic.readout_label.text() == readout == topic.canvases[2].accessibleDescription()
    for key, count in ((Qt.Key.Key_Down, 2), (Qt.Key.Key_Left, 1)):
        for _ in range(count):
            qtbot.keyClick(topic.canvases[2], key)
    readout = "Position 3 (“<pad>”) may read position 2 (“2”), but no token reads padding, and the loss leaves it out."
    assert topic.readout_label.text() == readout
    topic.target_edit.setText("1 " * 200)
    qtbot.waitUntil(lambda: "positions" in topic.readout_label.text(), timeout=WAIT_MS)


def test_masks_are_of_the_newest_readable_probe(empty_window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    run = Path(shutil.copytree(example_path(), tmp_path / "damaged"))
    *_, readable, newest = sorted((run / "probes").iterdir())
    newest.write_bytes(b"none")
    reference = RunFolder.open(run).probe(int(readable.stem)).sentences[0].reference
    window, bridge = empty_window, empty_window.context.bridge
    window.context.workbench.open_run(run)
    qtbot.waitUntil(lambda: bridge.history.last_step == 800 and bridge.state == "finished", timeout=WAIT_MS)
    window.show_view(VIEWS.index(type(window.anatomy_view)))
    topic = opened(window.anatomy_view, qtbot, MasksTopic)
    qtbot.waitUntil(topic.canvases[0].isVisible, timeout=WAIT_MS)
    assert topic.target_edit.text() == reference


def test_masks_of_a_refused_sentence_are_neither_shown_nor_exported(view: AnatomyView, qtbot: QtBot) -> None:
    topic = opened(view, qtbot, MasksTopic)
    qtbot.waitUntil(topic.canvases[0].isVisible, timeout=WAIT_MS)
    export_button = child_of(topic, ExportButton)
    top = topic.target_edit.mapTo(topic, QPoint())
    topic.target_edit.setText("1 " * 200)
    qtbot.waitUntil(lambda: "positions" in topic.readout_label.text(), timeout=WAIT_MS)
    assert not topic.canvases[0].isVisible() and topic.target_edit.mapTo(topic, QPoint()) == top
    export_button.menu().aboutToShow.emit()
    assert not any(action.isEnabled() for action in export_button.menu().actions())
    export_button.copy_numbers()  # as from a menu opened earlier
    label = window_of(view).trouble_strip.sentence
    qtbot.waitUntil(lambda: "there is nothing left to export" in label.text(), timeout=WAIT_MS)
    topic.target_edit.setText("1 2")
    qtbot.waitUntil(topic.canvases[0].isVisible, timeout=WAIT_MS)
    assert len(topic.numbers()) == 1 + 5 * 5


def test_each_stage_of_a_head_shows_its_numbers_and_explains_its_colours(view: AnatomyView, qtbot: QtBot) -> None:
    topic = opened(view, qtbot, DotProductTopic)
    seen = topic.query.answer
    assert isinstance(seen, DotProduct)
    assert "Orange is positive, blue negative; weights, from 0 to 1, are only blue." in topic.about_label.text()
    parts = [part for stage in STAGES for part in stage.matrices(seen)]
    assert {part.title.split("  ")[0] for part in parts if part.limit is None} == {"weights"}
    results = (seen.values, seen.scores, seen.scaled, seen.scaled, seen.weights, seen.output)
    for button, stage, result in zip(topic.stage_buttons, STAGES, results, strict=True):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert topic.stage is stage and topic.stage_label.text() == stage.about
        np.testing.assert_array_equal(not_none(topic.canvases[2].matrix).values, result)
        above, below, _ = topic.canvases
        if below.isVisible():
            lefts = {one.layout_of(not_none(one.matrix)).grid.left() for one in (above, below)}
            assert len(lefts) == 1
        qtbot.keyClick(topic.canvases[2], Qt.Key.Key_Down)
        assert topic.numbers()[-1][-1] in ("", result[-1, -1])  # hidden cells are empty
        assert f"{float(result[topic.canvases[2].mark]):.3f}" in topic.readout_label.text()


def test_every_topic_fits_into_the_window_with_its_equation(german_window: MainWindow, qtbot: QtBot) -> None:
    german_window.resize(1280, 720)
    view = german_window.anatomy_view
    german_window.show_view(VIEWS.index(type(view)))
    for row in range(view.topics.count()):
        view.topics.setCurrentRow(row)
        qtbot.waitUntil(lambda: not view.topic.is_dirty and view.topic.content.isVisible(), timeout=WAIT_MS)
        assert_whole(view)
    dot_product = view.built[DotProductTopic]
    assert isinstance(dot_product, DotProductTopic)
    for button in dot_product.stage_buttons:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert_whole(view)


def test_when_zoomed_texts_wrap_and_only_the_picture_scrolls_sideways(german_window: MainWindow, qtbot: QtBot) -> None:
    view = german_window.anatomy_view
    german_window.context.theme.set_zoom(200)
    german_window.show_view(VIEWS.index(type(view)))
    for row in range(view.topics.count()):
        view.topics.setCurrentRow(row)
        qtbot.waitUntil(lambda: not view.topic.is_dirty and view.topic.content.isVisible(), timeout=WAIT_MS)
        QApplication.sendPostedEvents()
        page = view.pages.currentWidget()
        assert isinstance(page, QScrollArea)
        assert page.horizontalScrollBar().maximum() == 0, view.topic.title
        assert view.topic.scroll_area.verticalScrollBar().maximum() == 0, view.topic.title
    assert view.built[ModelTopic].scroll_area.horizontalScrollBar().maximum() > 0


def test_a_box_chosen_by_keys_is_scrolled_into_view(german_window: MainWindow, qtbot: QtBot) -> None:
    view = german_window.anatomy_view
    german_window.context.theme.set_zoom(200)
    german_window.show_view(VIEWS.index(type(view)))
    topic = opened(view, qtbot, ModelTopic)
    QApplication.sendPostedEvents()
    for column, key in ((1, Qt.Key.Key_Right), (0, Qt.Key.Key_Left)):
        qtbot.keyClick(topic.canvas, key)
        box = topic.canvas.rect_of(column, 1).toRect().translated(topic.canvas.mapTo(topic.scroll_area, QPoint()))
        assert topic.scroll_area.rect().left() <= box.left() and box.right() <= topic.scroll_area.rect().right()


def assert_whole(view: AnatomyView) -> None:
    """Require that picture, readout, equation and code heading are visible without scrolling."""
    topic, page = view.topic, view.pages.currentWidget()
    assert isinstance(page, QScrollArea)
    QApplication.sendPostedEvents()  # completes the layout
    seen = page.viewport().rect()
    for part in (topic.content, topic.readout_label, topic.equation_label, topic.paper_label, topic.code.heading):
        assert seen.contains(QRect(part.mapTo(page.viewport(), QPoint()), part.size())), (topic.title, part)
    assert topic.content.height() >= topic.content.minimumHeight() > 0


def answer_to(topic: DotProductTopic) -> DotProduct:
    return not_none(topic.query.answer)


def test_a_head_follows_the_selection_and_the_playhead(view: AnatomyView, qtbot: QtBot) -> None:
    topic, context = opened(view, qtbot, DotProductTopic), view.context
    untrained = answer_to(topic)
    context.workbench.learn(5)
    qtbot.waitUntil(lambda: answer_to(topic).step == 5, timeout=WAIT_MS)
    assert not np.array_equal(answer_to(topic).scores, untrained.scores)
    context.playhead.view(0)
    qtbot.waitUntil(lambda: answer_to(topic).step == 0, timeout=WAIT_MS)
    np.testing.assert_allclose(answer_to(topic).scores, untrained.scores, rtol=1e-6)
    qtbot.waitUntil(
        lambda: topic.title_label.text().endswith("· cross layer 1 head 1 · weights of step 0"), timeout=WAIT_MS
    )
    context.selection.choose(kind="decoder_self")
    qtbot.waitUntil(lambda: answer_to(topic).key_tokens == answer_to(topic).query_tokens, timeout=WAIT_MS)
    topic.stage_buttons[3].click()
    topic.canvases[2].pointed.emit(0, 1)
    assert "it comes later" in topic.readout_label.text() == topic.canvases[2].accessibleDescription()


def test_no_query_is_sent_while_the_view_is_hidden(view: AnatomyView, window: MainWindow, qtbot: QtBot) -> None:
    topic = opened(view, qtbot, DotProductTopic)
    window.show_view(0)
    view.context.workbench.learn(5)
    qtbot.waitUntil(lambda: view.context.bridge.state == "paused", timeout=WAIT_MS)
    qtbot.wait(200)
    assert answer_to(topic).step == 0


def test_the_stages_fit_one_line_again_after_zooming_out(german_window: MainWindow, qtbot: QtBot) -> None:
    view, theme = german_window.anatomy_view, german_window.context.theme
    german_window.resize(1280, 720)
    theme.set_zoom(200)
    german_window.show_view(VIEWS.index(type(view)))
    topic = opened(view, qtbot, DotProductTopic)
    theme.set_zoom(100)
    last = topic.stage_buttons[-1]
    qtbot.waitUntil(lambda: last.mapTo(topic.controls, QPoint()).y() < last.height(), timeout=WAIT_MS)


def test_where_no_model_can_be_asked_the_reason_follows_the_process_that_writes_the_followed_run(
    view: AnatomyView, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    writing, follower = RunFolder.open(shutil.copytree(example_path(), tmp_path / "run")), window.context.follower
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as writer:
        writing.update(state="learning", pid=writer.pid, host=socket.gethostname(), pid_started=None)
        follower.follow(writing.path)
        view.choose(MasksTopic)
        topic = view.topic
        reason = f"Watching process {writer.pid}: "
        qtbot.waitUntil(lambda: topic.empty_label.text().startswith(reason), timeout=WAIT_MS)
        writer.kill()  # so that it can write nothing more
    qtbot.waitUntil(lambda: follower.writer is None, timeout=WAIT_MS)
    ended = "is no longer being written: open it in Runs"
    qtbot.waitUntil(lambda: ended in topic.empty_label.text(), timeout=WAIT_MS // 20)
