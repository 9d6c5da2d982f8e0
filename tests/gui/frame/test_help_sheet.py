"""The help sheet can be read completely at any zoom and in a window of any size."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gui.frame.help_sheet import SHORTCUTS, HelpSheet
from gui.main_window import MainWindow
from gui.theme import GRID
from tests.gui.conftest import WAIT_MS
from tests.gui.legible import cut_texts
from tests.gui.not_none import not_none

KEY_TEXTS = {"Up": "↑", "Down": "↓", "Left": "←", "Right": "→", "Del": "Delete", "Return": "Enter", "=": "+"}


def test_it_names_every_key_and_its_rows_keep_a_distance_from_the_scroll_bar(
    qtbot: QtBot, empty_window: MainWindow
) -> None:
    named = {f"Ctrl+{number}" for number in range(1, 8)}
    for keys, _ in SHORTCUTS:
        modifier, plus, _ = keys.split()[0].partition("+")  # the modifier also holds for the keys that follow
        named |= {key if "+" in key or not plus else f"{modifier}+{key}" for key in keys.split()}
    assert len(empty_window.views) == 7  # which builds all of them
    for shortcut in empty_window.findChildren(QShortcut):
        modifier, plus, key = shortcut.key().toString().rpartition("+")
        assert f"{modifier}{plus}{KEY_TEXTS.get(key, key)}" in named
    sheet = empty_window.help_sheet
    empty_window.resize(960, 600)
    sheet.toggle()
    wait_until_whole(sheet, qtbot)
    right = max(label.sizeHint().width() + label.x() for label in sheet.page.findChildren(QLabel))
    assert sheet.page.verticalScrollBar().maximum() > 0 and right + GRID <= sheet.page.viewport().width()


def wait_until_whole(sheet: HelpSheet, qtbot: QtBot) -> None:
    """Wait until the sheet is centred in the window and cuts no text, except what can be scrolled to."""

    def is_whole() -> None:
        window_rect, sheet_rect = not_none(sheet.parentWidget()).rect(), sheet.geometry()
        assert window_rect.contains(sheet_rect) and (window_rect.center() - sheet_rect.center()).manhattanLength() <= 2
        assert cut_texts(sheet) == []

    qtbot.waitUntil(is_whole, timeout=WAIT_MS)


def test_it_follows_zoom_and_window_size_and_scrolls_when_it_must(qtbot: QtBot, empty_window: MainWindow) -> None:
    window, sheet, theme = empty_window, empty_window.help_sheet, empty_window.context.theme
    scrolled = sheet.page.verticalScrollBar()
    sheet.toggle()
    wait_until_whole(sheet, qtbot)
    assert scrolled.maximum() == 0
    while theme.zoom < 200:
        qtbot.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    wait_until_whole(sheet, qtbot)
    assert scrolled.maximum() > 0 and sheet.page.horizontalScrollBar().maximum() == 0
    qtbot.keyClick(sheet.page, Qt.Key.Key_PageDown)
    assert scrolled.value() > 0
    window.resize(1000, 600)
    wait_until_whole(sheet, qtbot)
    sheet.toggle()
    window.resize(1280, 720)
    theme.set_zoom(100)
    sheet.toggle()
    wait_until_whole(sheet, qtbot)
    assert scrolled.maximum() == 0


def test_it_is_not_cut_if_the_zoom_changed_while_it_was_closed(qtbot: QtBot, empty_window: MainWindow) -> None:
    sheet = empty_window.help_sheet
    for zoom in (100, 200):
        empty_window.context.theme.set_zoom(zoom)
        sheet.toggle()
        wait_until_whole(sheet, qtbot)
        sheet.toggle()
