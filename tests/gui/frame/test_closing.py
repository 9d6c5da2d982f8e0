"""The window is closed: the run is saved, and if that fails, the window stays open once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.run_folder import RunFolder, list_runs
from gui.main_window import MainWindow
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none

Wait = Callable[[str], None]


def test_closing_saves_without_asking(qtbot: QtBot, window: MainWindow, wait_for_state: Wait, tmp_path: Path) -> None:
    qtbot.mouseClick(window.transport.step_buttons[1], Qt.MouseButton.LeftButton)
    wait_for_state("paused")
    exit_codes: list[int] = []
    window.closing.finished.connect(exit_codes.append)
    window.close()
    qtbot.waitUntil(lambda: exit_codes == [0], timeout=WAIT_MS)
    run = not_none(window.context.workbench.run)
    assert run.parent == tmp_path / "runs"
    assert list((run / "checkpoints").iterdir())
    assert list_runs(tmp_path / "runs")


def test_actions_deferred_for_a_plugin_are_dropped_when_the_window_closes(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    check, exit_codes = window.context.workbench.option_check, list[int]()
    window.closing.finished.connect(exit_codes.append)
    check.begin()
    window.transport.learn_button.click()
    window.close()
    check.run_deferred()  # as when the plugin has answered
    qtbot.waitUntil(lambda: exit_codes == [0], timeout=WAIT_MS)
    assert not list_runs(tmp_path / "runs")


def block(run: Path) -> None:
    """Replace the run's checkpoints folder by a file, so that saving fails as on a full disk."""
    (run / "checkpoints").rename(run / "aside")
    (run / "checkpoints").touch()


def unblock(run: Path) -> None:
    (run / "checkpoints").unlink()
    (run / "aside").rename(run / "checkpoints")


def learn_12_steps(qtbot: QtBot, window: MainWindow) -> Path:
    """Take 12 steps with a checkpoint at step 10; return the run."""
    window.context.workbench.edit("training.checkpoint_every", 5)
    window.context.workbench.learn(12)
    qtbot.waitUntil(lambda: window.context.bridge.state == "paused", timeout=WAIT_MS)
    return not_none(window.context.workbench.run)


def test_closing_with_a_failed_save_stays_open_once_and_says_what_is_kept(qtbot: QtBot, window: MainWindow) -> None:
    run, exit_codes = learn_12_steps(qtbot, window), list[int]()
    block(run)
    window.closing.finished.connect(exit_codes.append)
    window.close()
    qtbot.waitUntil(window.trouble_strip.isVisible, timeout=WAIT_MS)
    assert "cannot be written" in window.trouble_strip.sentence.text()
    assert window.trouble_strip.advice.text().startswith("Fix that, then continue learning; nothing is lost until ")
    assert window.trouble_strip.advice.text().endswith("quits in any case. Everything up to step 10 is kept.")
    assert window.isVisible() and window.isEnabled() and not exit_codes
    window.close()
    qtbot.waitUntil(lambda: exit_codes == [0], timeout=WAIT_MS)
    assert window.closing.unsaved_message.endswith("Everything up to step 10 is kept.")


def test_a_run_that_could_not_be_saved_continues_and_is_saved_later(
    qtbot: QtBot, window: MainWindow, wait_for_state: Wait
) -> None:
    run, exit_codes = learn_12_steps(qtbot, window), list[int]()
    block(run)
    window.closing.finished.connect(exit_codes.append)
    window.close()
    qtbot.waitUntil(window.trouble_strip.isVisible, timeout=WAIT_MS)
    window.context.workbench.reset()  # which would also leave it
    qtbot.waitUntil(lambda: window.context.workbench.run == run, timeout=WAIT_MS)
    unblock(run)
    window.context.workbench.learn(1)
    qtbot.waitUntil(lambda: window.context.bridge.history.last_step == 13, timeout=WAIT_MS)
    wait_for_state("paused")
    block(run)
    window.close()  # a second warning, since other steps would be lost
    qtbot.waitUntil(window.isEnabled, timeout=WAIT_MS)
    assert not exit_codes
    unblock(run)
    window.close()
    qtbot.waitUntil(lambda: exit_codes == [0], timeout=WAIT_MS)
    assert not window.closing.unsaved_message and RunFolder.open(run).checkpoint_steps()[-1] == 13
