"""A window opens as it would alone, whatever a test before did."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tests.gui.windows import opened_window


def test_no_key_is_held(qtbot: QtBot, tmp_path: Path) -> None:
    with opened_window(tmp_path) as window:
        qtbot.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.ControlModifier
    with opened_window(tmp_path):
        assert QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.NoModifier
