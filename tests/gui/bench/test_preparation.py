"""Edits are prepared, even after a run that could not begin or be opened."""

from __future__ import annotations

from pathlib import Path
from threading import Event

from pytestqt.qtbot import QtBot

from core.events import StateChanged
from core.run_folder import RunFolder
from gui.main_window import MainWindow
from gui.workbench import PREPARE_DELAY_MS
from tests.gui.bench.runs import running_timers
from tests.gui.conftest import WAIT_MS


def test_edits_made_while_an_opening_is_refused_are_prepared(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    workbench = window.context.workbench
    workbench.open_run(tmp_path / "gone")
    workbench.edit("training.max_steps", 17)
    qtbot.waitUntil(lambda: bool(workbench.applied) and workbench.applied == workbench.draft, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.context.bridge.state == "ready", timeout=WAIT_MS)
    assert workbench.applied is not None and workbench.applied.training.max_steps == 17
    assert "gone" in window.trouble_strip.sentence.text()


def test_plugins_reloaded_while_an_opening_is_refused_are_used(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    with qtbot.waitSignal(window.context.bridge.prepared, timeout=WAIT_MS):
        window.context.workbench.open_run(tmp_path / "gone")
        window.context.workbench.prepare_again()


def test_an_opening_refused_at_start_leaves_the_first_preset(
    qtbot: QtBot, empty_window: MainWindow, tmp_path: Path
) -> None:
    workbench = empty_window.context.workbench
    empty_window.start()
    qtbot.waitUntil(lambda: running_timers(workbench) == [], timeout=WAIT_MS)  # the preparation was requested
    workbench.open_run(tmp_path / "gone")
    qtbot.waitUntil(lambda: empty_window.context.bridge.state == "ready", timeout=WAIT_MS)


def test_a_preparation_interrupted_by_an_opening_resumes_once_that_is_refused(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    is_ready, may_continue = Event(), Event()

    def hold(event: object) -> None:
        """Block the engine in the ready state until all requests are queued."""
        if isinstance(event, StateChanged) and event.state == "ready":
            is_ready.set()
            may_continue.wait(30)

    bridge.engine.add_listener(hold)
    workbench.reset()
    assert is_ready.wait(30)
    workbench.edit("model.d_ff", 32)
    workbench.prepare()
    workbench.open_run(tmp_path / "gone")
    may_continue.set()
    qtbot.waitUntil(
        lambda: "gone" in window.trouble_strip.sentence.text() and not workbench.is_opening, timeout=WAIT_MS
    )
    workbench.learn(1)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.history.last_step == 1, timeout=WAIT_MS)
    assert workbench.run is not None and RunFolder.open(workbench.run).config().model.d_ff == 32


def test_after_a_preset_edits_are_still_prepared_with_a_delay(window: MainWindow) -> None:
    window.context.workbench.edit("training.max_steps", 17)
    assert running_timers(window.context.workbench) == [PREPARE_DELAY_MS]


def test_edits_made_before_a_run_that_cannot_begin_are_prepared(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench = window.context.workbench
    (tmp_path / "runs").write_text("a file where the folder should be", encoding="utf-8")
    workbench.learn()
    workbench.edit("training.max_steps", 17)
    qtbot.waitUntil(lambda: workbench.resolved.config.training.max_steps == 17, timeout=WAIT_MS)  # type: ignore[union-attr]


def test_an_edit_that_fixes_refused_data_is_prepared_despite_a_requested_run(qtbot: QtBot, window: MainWindow) -> None:
    workbench = window.context.workbench
    assert workbench.draft is not None
    dataset = workbench.draft.dataset.model_dump()
    workbench.edit("dataset", {"plugin": "parallel_text"})  # no files are given
    with qtbot.waitSignal(workbench.settings_refused, timeout=WAIT_MS):
        workbench.restart()
        workbench.edit("dataset", dataset)
    qtbot.waitUntil(lambda: workbench.resolved is not None, timeout=WAIT_MS)
    assert workbench.applied == workbench.draft
