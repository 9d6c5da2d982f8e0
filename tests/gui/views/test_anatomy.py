"""The Anatomy view, driven as a person drives it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.views.anatomy import AnatomyView

WAIT_MS = 30_000


@pytest.fixture
def view(window: MainWindow, qtbot: QtBot) -> AnatomyView:
    """The view, opened as a person opens it, its first topic drawn."""
    window.activateWindow()
    window.show_view(window.views.index(window.anatomy_view))
    qtbot.waitUntil(lambda: not window.anatomy_view.topic.is_dirty, timeout=WAIT_MS)
    return window.anatomy_view


def test_nothing_is_built_before_somebody_looks(empty_window: MainWindow) -> None:
    assert empty_window.anatomy_view.built == {}


def test_the_arrow_keys_go_through_all_topics(view: AnatomyView, qtbot: QtBot) -> None:
    qtbot.waitUntil(view.topics.hasFocus, timeout=WAIT_MS)
    titles = [view.topic.title]
    while len(titles) < view.topics.count():
        qtbot.keyClick(view.topics, Qt.Key.Key_Down)
        qtbot.waitUntil(lambda: view.topic.isVisible() and not view.topic.is_dirty, timeout=WAIT_MS)
        titles.append(view.topic.title)
    assert titles == [view.topics.item(place).text() for place in range(view.topics.count())]
    for topic in view.built.values():
        assert topic.about_label.text() and topic.equation_label.text() and "section" in topic.paper_label.text()
        controls = [*topic.findChildren(QPushButton), *topic.findChildren(QComboBox)]
        controls += [*topic.findChildren(QAbstractSpinBox), *topic.findChildren(QLineEdit, "edit")]
        assert all(control.accessibleName() and control.toolTip() for control in controls)


def test_space_learns_from_the_list_of_topics(view: AnatomyView, qtbot: QtBot) -> None:
    qtbot.keyClick(view.topics, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: view.context.bridge.history.last_step > 0, timeout=WAIT_MS)


def test_the_code_is_read_when_it_is_unfolded(view: AnatomyView, qtbot: QtBot) -> None:
    topic = view.topic
    assert topic.code_text.toPlainText() == "" and not topic.code_text.isVisible()
    qtbot.keyClick(topic.code.heading, Qt.Key.Key_Space)
    assert topic.code_text.isVisible()
    assert all(f" {place.rpartition(':')[2]}(" in topic.code_text.toPlainText() for place in topic.functions)
