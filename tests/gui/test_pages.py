"""Pages of one place: one is seen, and a button that Tab reaches leads to each."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gui.pages import Pages
from gui.widgets import plain_label


def test_one_page_is_seen_and_a_button_leads_to_each(qtbot: QtBot) -> None:
    pages = Pages("What is compared", ("Curves", "Their losses"), ("Attention", "A head of each"))
    made = [plain_label("a"), plain_label("b")]
    qtbot.addWidget(pages)
    for page in made:
        pages.add(page)
    first, second = pages.findChildren(QPushButton)
    assert [page.isVisibleTo(pages) for page in made] == [True, False] and first.isChecked()
    assert second.accessibleName() == "Attention" and second.toolTip() == "A head of each"
    assert second.focusPolicy() & Qt.FocusPolicy.TabFocus
    qtbot.keyClick(second, Qt.Key.Key_Space)
    assert [page.isVisibleTo(pages) for page in made] == [False, True] and second.isChecked()
    pages.choose(0)
    assert [page.isVisibleTo(pages) for page in made] == [True, False] and first.isChecked()
