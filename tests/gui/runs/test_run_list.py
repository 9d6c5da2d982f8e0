"""The list of runs when its folder cannot be read."""

from __future__ import annotations

import shutil
from pathlib import Path

from pytestqt.qtbot import QtBot

from core.events import Trouble
from gui.bridge import EngineBridge
from gui.runs.rows import example_path
from gui.runs.run_list import RunList
from gui.runs.runs_directory import RunsDirectory
from tests.gui.conftest import WAIT_MS


def test_a_folder_chosen_while_reading_another_fails_is_read(
    bridge: EngineBridge, qtbot: QtBot, tmp_path: Path
) -> None:
    directory, troubles = RunsDirectory(tmp_path / ("x" * 300)), list[Trouble]()  # no name may be as long
    run = shutil.copytree(example_path(), tmp_path / "runs" / "run")
    bridge.trouble.connect(troubles.append)
    run_list = RunList(bridge, directory)
    run_list.watch()
    directory.choose(tmp_path / "runs")
    qtbot.waitUntil(lambda: [row.path for row in run_list.rows] == [run, example_path()], timeout=WAIT_MS)
    assert len(troubles) == 1
    run_list.unwatch()
