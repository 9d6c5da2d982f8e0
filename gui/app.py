"""Opens the window and runs it until it is closed or a signal ends it."""

from __future__ import annotations

import sys
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from core.engine import Engine
from core.machine.signals import handling_signals
from core.run_folder import default_runs_dir
from gui.bridge import EngineBridge
from gui.context import make_context
from gui.faults.native_crash import earlier_crashes, recording_native_crashes
from gui.faults.no_display import open_application
from gui.faults.unhandled_exceptions import reporting_exceptions
from gui.garbage_collector import collecting_in_gui_thread
from gui.icons import application_icon
from gui.main_window import MainWindow
from gui.preferences import load_preferences, preferences_path, save_preferences
from gui.switch_interval import short_switch_interval
from gui.theme import Theme

UNSAVED = 3  # the status with which the terminal, too, reports a run that a full disk stopped


def run(argv: list[str], engine: Engine) -> int:
    """Run the window on this engine until it closes.

    Returns the exit status: 0, 128 + n after signal n, 3 if steps were lost.
    """
    app = QApplication.instance() or open_application(argv)
    assert isinstance(app, QApplication)
    app.setApplicationName("Headlight")
    app.setWindowIcon(application_icon())
    app.setStyle("Fusion")
    path = preferences_path()
    preferences = load_preferences(path)
    theme = Theme(preferences.mode, preferences.zoom)
    bridge = EngineBridge(engine)
    crashes = earlier_crashes()
    with (
        reporting_exceptions(bridge),
        recording_native_crashes(),
        collecting_in_gui_thread(bridge),
        short_switch_interval(),
    ):
        theme.apply()
        window = MainWindow(make_context(bridge, theme, default_runs_dir(preferences.runs_dir)))
        window.closing.finished.connect(app.exit)
        for trouble in crashes:
            window.trouble_strip.show_trouble(trouble)
        preferences.show(window, path)
        with handling_signals(partial(_exit_on_signal, window)):
            QTimer.singleShot(0, window.start)
            status = app.exec()
        save_preferences(window, path)
        window.shut_down()
    if window.closing.unsaved_message:
        print(f"headlight: {window.closing.unsaved_message}", file=sys.stderr)
        return UNSAVED
    return status


def _exit_on_signal(window: MainWindow, number: int) -> None:
    """Save and leave. A signal handler: Python runs it when the bridge's timer next fires, 20 times a second."""
    QTimer.singleShot(0, window, lambda: window.closing.save_and_exit(128 + number))
