"""A real window with a real engine, opened and closed as often as a test needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from core.engine import Engine
from gui.bridge import EngineBridge
from gui.context import make_context
from gui.garbage_collector import COLLECT_INTERVAL_MS, collect_due_generations
from gui.main_window import MainWindow
from gui.theme import Theme


@contextmanager
def opened_window(folder: Path, cache_dir: Path | None = None) -> Iterator[MainWindow]:
    """Open a window with nothing prepared; its runs, and its cache unless given, lie in `folder`."""
    theme = Theme("light")
    theme.apply()
    bridge = EngineBridge(Engine(cache_dir=cache_dir or folder / "cache"))
    window = MainWindow(make_context(bridge, theme, folder / "runs"))
    window.resize(1280, 720)
    window.show()
    QTest.keyRelease(window, Qt.Key.Key_Control)  # otherwise Qt keeps the Ctrl of an earlier `keyClick` pressed
    collecting = QTimer(window)
    collecting.timeout.connect(collect_due_generations)
    collecting.start(COLLECT_INTERVAL_MS)
    try:
        yield window
    finally:
        window.shut_down()
        window.deleteLater()


def window_of(part: QWidget) -> MainWindow:
    """The window that contains this widget."""
    window = part.window()
    assert isinstance(window, MainWindow)
    return window
