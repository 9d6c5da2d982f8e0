"""The window's shortcuts in a text field. Qt gives Ctrl+A to fields on every system, Ctrl+E only on X11 and Wayland."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QSpinBox, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.frame.shortcut_priority import ShortcutPriority
from tests.gui.conftest import WAIT_MS


@pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform has no size hints for windows
@pytest.mark.parametrize("kind", [QLineEdit, QPlainTextEdit, QSpinBox])
def test_a_shortcut_of_the_window_overrides_that_of_a_field(qtbot: QtBot, kind: type[QWidget]) -> None:
    window, activated = QWidget(), []
    qtbot.addWidget(window)
    field, other = kind(), QLineEdit("words")
    layout = QVBoxLayout(window)
    layout.addWidget(other)
    layout.addWidget(field)
    ShortcutPriority(window, ("Ctrl+A",))
    for keys in ("Ctrl+A", "Ctrl+Z"):
        QShortcut(QKeySequence(keys), window).activated.connect(lambda keys=keys: activated.append(keys))
    window.resize(640, 480)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=WAIT_MS)
    for one in (other, field, other):
        one.setFocus()
        qtbot.keyClick(one, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        qtbot.keyClick(one, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)  # the field handles it
    assert activated == ["Ctrl+A"] * 3 and not other.selectedText()
    qtbot.keyClicks(other, "!")
    assert other.text() == "words!"
