"""Prepared data as the window reads them."""

from __future__ import annotations

from pathlib import Path
from threading import Event

from pytestqt.qtbot import QtBot

from core.requests import LocateData
from gui.datasets.data_reader import NO_DATA, DataReader
from gui.main_window import MainWindow
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none


def test_a_failed_read_of_earlier_data_does_not_discard_the_next(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    bridge, folders, completed, sentences = window.context.bridge, list[Path | None](), list[None](), list[str]()
    bridge.trouble.connect(lambda trouble: sentences.append(trouble.sentence))
    bridge.ask(LocateData(), folders.append)
    qtbot.waitUntil(lambda: bool(folders), timeout=WAIT_MS)
    look, prepared = DataReader(bridge), bridge.history.prepared
    assert prepared is not None
    look._open(prepared.config, tmp_path / "gone")
    look._open(prepared.config, not_none(folders[0]))
    bridge.run_in_background(lambda: None, completed.append)
    qtbot.waitUntil(lambda: bool(completed), timeout=WAIT_MS)
    assert look.data is not None and not sentences
    look._open(prepared.config, tmp_path / "gone")
    qtbot.waitUntil(lambda: bool(sentences), timeout=WAIT_MS)
    assert look.data is None and look.empty_reason == NO_DATA


def test_a_question_that_a_refused_opening_cancels_is_asked_again(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    bridge, workbench, is_ending, may_continue = window.context.bridge, window.context.workbench, Event(), Event()
    look = DataReader(bridge)
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)

    def hold(_: object) -> None:
        """Block the engine at the end of the run until all requests are queued."""
        is_ending.set()
        may_continue.wait(30)

    bridge.engine.add_listener(hold)
    workbench.finish()
    assert is_ending.wait(30)
    look.watch(True)
    workbench.open_run(tmp_path / "gone")
    may_continue.set()
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None, timeout=WAIT_MS)
    look.watch(True)  # the view is opened again
    qtbot.waitUntil(lambda: look.data is not None, timeout=WAIT_MS)
