"""The folder of runs, by whichever path it is given."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.main_window import VIEWS
from gui.runs.runs_directory import RunsDirectory
from tests.gui.conftest import WAIT_MS
from tests.gui.windows import opened_window


def test_the_current_run_is_recognised_behind_a_link(qtbot: QtBot, small_file: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with opened_window(tmp_path / "link") as window:
        bridge, view = window.context.bridge, window.runs_view
        window.setup_drawer.open_file(small_file)
        qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
        window.context.workbench.learn(3)
        qtbot.waitUntil(lambda: bridge.state == "paused" and bridge.history.last_step == 3, timeout=WAIT_MS)
        window.show_view(VIEWS.index(type(view)))
        qtbot.waitUntil(lambda: any(row.is_ours for row in view.table.rows), timeout=WAIT_MS)
        view.table.setCurrentCell(0, 0)
        assert "is open in this window" in view.delete_button.toolTip()
        states: list[str] = []
        bridge.state_changed.connect(lambda change: states.append(change.state))
        view.continue_chosen()
        qtbot.waitUntil(lambda: bridge.history.last_step > 3, timeout=WAIT_MS)
        assert states[0] == "learning"  # if it were loaded again, it would be prepared first


def test_its_path_is_absolute_and_the_choice_is_kept_as_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    place = RunsDirectory(Path("runs"))
    assert place.path == tmp_path / "runs" and place.chosen is None
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    place.choose(link)
    assert place.path == tmp_path / "elsewhere" and place.chosen == link
    (tmp_path / "elsewhere").symlink_to(link)
    assert RunsDirectory(link).path.parent == tmp_path  # a circle: no run can begin there, but the window opens
