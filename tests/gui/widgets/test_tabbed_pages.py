"""Pages in one place: one is visible, and a button leads to each."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gui.widgets.labels import plain_label
from gui.widgets.scrolling_page import ScrollingPage
from gui.widgets.splitters import splitter
from gui.widgets.tabbed_pages import TabbedPages, column_of
from tests.gui.conftest import WAIT_MS
from tests.gui.legible import cut_texts


def test_one_page_is_visible_and_a_button_leads_to_each(qtbot: QtBot) -> None:
    pages = TabbedPages("What is compared", ("Curves", "Their losses"), ("Attention", "A head of each"))
    made = [column_of(plain_label("a")), column_of(plain_label("b"))]
    qtbot.addWidget(pages)
    for page in made:
        pages.add(page)
    first, second = pages.findChildren(QPushButton)
    assert [page.isVisibleTo(pages) for page in made] == [True, False] and first.isChecked()
    assert second.accessibleName() == "Attention" and second.toolTip() == "A head of each"
    assert second.focusPolicy() & Qt.FocusPolicy.TabFocus
    qtbot.keyClick(second, Qt.Key.Key_Space)
    assert [page.isVisibleTo(pages) for page in made] == [False, True] and second.isChecked()
    pages.show_page(0)
    assert [page.isVisibleTo(pages) for page in made] == [True, False] and first.isChecked()


def test_a_page_beside_other_widgets_has_room_for_all_its_lines(qtbot: QtBot) -> None:
    view, label = ScrollingPage(), plain_label("A few words.")
    pages = TabbedPages("What is compared", ("Words", "Many or few"), ("More", "None"))
    label.setWordWrap(True)
    pages.add(column_of(label))
    pages.add(column_of(plain_label("a")))
    other_label = plain_label("A sentence.")
    other_label.setWordWrap(True)
    view.column.addWidget(column_of(other_label, QListWidget()))  # a widget that would like to be higher than it must
    view.column.addWidget(splitter(Qt.Orientation.Horizontal, (QWidget(), 1), (pages, 1)), 1)
    qtbot.addWidget(view)
    view.resize(400, 600)
    view.show()
    label.setText("Many words, one after the other. " * 40)
    qtbot.waitUntil(lambda: cut_texts(view) == [], timeout=WAIT_MS)
    assert view.verticalScrollBar().maximum() > 0
    view.resize(300, 600)
    qtbot.waitUntil(lambda: cut_texts(view) == [], timeout=WAIT_MS)
    pages.show_page(1)
    qtbot.waitUntil(lambda: view.verticalScrollBar().maximum() == 0, timeout=WAIT_MS)
