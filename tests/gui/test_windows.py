"""A window opens in the same state whatever earlier tests did."""

from __future__ import annotations

from pathlib import Path
from weakref import ref

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tests.conftest import settle
from tests.gui.windows import opened_window


def test_a_new_window_has_no_modifier_pressed(qtbot: QtBot, tmp_path: Path) -> None:
    with opened_window(tmp_path) as window:
        qtbot.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.ControlModifier
    with opened_window(tmp_path):
        assert QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.NoModifier


def test_a_closed_window_leaves_no_objects(qtbot: QtBot, tmp_path: Path) -> None:
    """A lambda connected to a signal of the bridge is never collected, so each test would keep a whole window."""
    with opened_window(tmp_path) as window:
        alive = ref(window)
    del window
    settle()
    assert alive() is None
