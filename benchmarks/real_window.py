"""The real window for benchmarks, under the conditions of the product: its garbage collector and switch interval."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtWidgets import QApplication

from core.engine import Engine
from gui.bridge import EngineBridge
from gui.context import make_context
from gui.faults.no_display import open_application
from gui.garbage_collector import collecting_in_gui_thread
from gui.main_window import MainWindow
from gui.switch_interval import short_switch_interval
from gui.theme import Theme


@contextmanager
def real_window(runs_dir: Path, cache_dir: Path | None = None) -> Iterator[tuple[QApplication, MainWindow]]:
    """Show a window on an engine of its own, and shut both down at the end. Once a process: Qt has one application."""
    app = open_application([])
    theme, bridge = Theme("light"), EngineBridge(Engine(cache_dir=cache_dir))
    theme.apply()
    window = MainWindow(make_context(bridge, theme, runs_dir))
    window.show()
    with collecting_in_gui_thread(bridge), short_switch_interval():
        try:
            yield app, window
        finally:
            window.shut_down()
