"""Finished runs, and the trash that deleted runs go to."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.runs.rows import example_path
from gui.views.runs import RunsView
from tests.gui.views.runs.steps import show


@pytest.fixture
def three_runs(empty_window: MainWindow, qtbot: QtBot) -> RunsView:
    """The Runs view with three finished runs, of which "b" is selected, and the example."""
    for name in ("2026-01-03_a", "2026-01-02_b", "2026-01-01_c"):
        shutil.copytree(example_path(), empty_window.context.runs_directory.path / name)
    view = show(empty_window, qtbot)
    view.table.select(empty_window.context.runs_directory.path / "2026-01-02_b")
    return view


@pytest.fixture
def trash(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of trashed files."""
    folder = home / "data" / "Trash" / "files"
    folder.parents[1].mkdir(exist_ok=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(folder.parents[1]))
    return folder
