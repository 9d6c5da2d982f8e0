"""What the transport bar says of the engine."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow

WAIT_MS = 30_000


def test_it_starts_and_after_data_that_fail_says_that_nothing_is_prepared(
    qtbot: QtBot, empty_window: MainWindow, small_file: Path
) -> None:
    window, bar = empty_window, empty_window.transport
    assert bar.state_label.text() == "○ starting"
    broken = small_file.with_name("broken.yaml")
    broken.write_text(small_file.read_text(encoding="utf-8").replace("copy_task", "no_such_plugin"), encoding="utf-8")
    window.setup_drawer.open_file(broken)
    qtbot.waitUntil(lambda: "nothing prepared" in bar.state_label.text(), timeout=WAIT_MS)
    assert "Setup" in bar.state_label.text() and "step" not in bar.state_label.text()
    assert not bar.learn_button.isEnabled() and "Nothing is prepared" in bar.learn_button.toolTip()
    assert window.strip.trouble is not None
    window.setup_drawer.open_file(small_file)
    qtbot.waitUntil(lambda: "untrained · step 0" in bar.state_label.text(), timeout=WAIT_MS)
    assert bar.learn_button.isEnabled()
