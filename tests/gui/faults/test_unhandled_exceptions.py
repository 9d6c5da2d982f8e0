"""Unexpected exceptions, raised wherever our code runs: each is shown once and logged, and the run continues."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.requests import Pause
from gui.faults.unhandled_exceptions import log_path, reporting_exceptions
from gui.main_window import MainWindow
from tests.gui.conftest import SMALL, WAIT_MS
from tests.gui.waiting import wait_for

Wait = Callable[[str], None]


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    """The settings of a very small run that is seldom probed."""
    path = tmp_path / "small.yaml"
    path.write_text(SMALL.replace("max_steps: 40", "max_steps: 40, probe_every: 20"), encoding="utf-8")
    return path


def fail(*_: object) -> None:
    raise ValueError("nobody expected this")


class Unpaintable(QWidget):
    """Fails each time it is painted."""

    def paintEvent(self, event: QPaintEvent) -> None:
        fail()


class Failing:
    """Fails when it is deleted."""

    def __del__(self) -> None:
        fail()


def in_a_slot(window: MainWindow) -> None:
    window.transport.help_button.clicked.connect(fail)
    window.transport.help_button.click()


def in_a_timer(window: MainWindow) -> None:
    QTimer.singleShot(0, window, fail)


def in_painting(window: MainWindow) -> None:
    widget = Unpaintable(window)
    widget.show()
    timer = QTimer(widget)
    timer.timeout.connect(widget.update)
    timer.start(20)


def in_a_thread(window: MainWindow) -> None:
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()


def in_a_listener_of_the_engine(window: MainWindow) -> None:
    window.context.bridge.engine.add_listener(fail)


def in_background(window: MainWindow) -> None:
    window.context.bridge.run_in_background(fail)


def in_an_answer(window: MainWindow) -> None:
    window.context.bridge.run_in_background(lambda: None, fail)


def in_a_deletion(window: MainWindow) -> None:
    Failing()


PLACES = (
    *(in_a_slot, in_a_timer, in_painting, in_a_thread, in_a_listener_of_the_engine),
    *(in_background, in_an_answer, in_a_deletion),
)


def test_after_an_engine_fault_controls_are_disabled_and_advise_a_restart(
    qtbot: QtBot, window: MainWindow, wait_for_state: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    bar = window.transport
    window.context.workbench.learn(3)
    wait_for_state("paused")
    monkeypatch.setattr("core.serving.request_loop.RequestLoop.seconds_to_wait", fail)
    window.context.bridge.ask(Pause())  # wakes it
    wait_for_state("failed")
    for one in (bar.learn_button, bar.reset_button, *bar.step_buttons, bar.finish_button):
        assert not one.isEnabled()
    assert "start it again" in bar.learn_button.toolTip() and "start it again" in bar.reset_button.toolTip()


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc, which cannot be written")
def test_the_log_is_elsewhere_if_the_home_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/nowhere")
    assert log_path() == log_path() and log_path().parent.is_dir()
    other_path = log_path()
    # /proc/self exists, but cannot be written.
    monkeypatch.setattr("platformdirs.PlatformDirs.user_log_path", Path("/proc/self"))
    assert log_path() == other_path


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_fault_is_shown_if_the_log_cannot_be_written(qtbot: QtBot, window: MainWindow) -> None:
    log = log_path()
    log.unlink()
    log.symlink_to("/dev/full")
    with reporting_exceptions(window.context.bridge):
        in_a_timer(window)
        qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None, timeout=WAIT_MS)
        assert (
            window.trouble_strip.trouble is not None and "nobody expected this" in window.trouble_strip.trouble.sentence
        )
        window.trouble_strip.dismiss()


def test_a_fault_is_shown_once_and_the_run_continues(
    qtbot: QtBot, window: MainWindow, wait_for_state: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine the repaint may come late.
    monkeypatch.setattr("gui.faults.unhandled_exceptions.REPEAT_S", 1000.0)
    for number, place in enumerate(PLACES, 1):
        with reporting_exceptions(window.context.bridge):
            window.context.workbench.learn(5)
            place(window)
            qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None, timeout=WAIT_MS)
            wait_for(qtbot, lambda last: window.context.bridge.history.last_step == last, 5 * number)
            wait_for_state("finished" if place is PLACES[-1] else "paused")
            qtbot.wait(100)
            trouble = window.trouble_strip.trouble
            assert trouble is not None and "ValueError: nobody expected this" in trouble.sentence, place
            QApplication.clipboard().clear()
            window.trouble_strip.copy_button.click()
            window.trouble_strip.dismiss()
            assert window.trouble_strip.trouble is None, f"reported twice: {place}"
            for widget in window.findChildren(Unpaintable):
                widget.hide()
        copied = QApplication.clipboard().text()
        assert "in fail\n" in copied and str(log_path().name) in copied, place
        logged = log_path().read_text(encoding="utf-8")
        assert logged.count("ValueError: nobody expected this") == number, place
