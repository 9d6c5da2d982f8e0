"""Runs to look at, and the trash they go to."""

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
    """The view on three finished runs, "b" the chosen one, and the example."""
    for name in ("2026-01-03_a", "2026-01-02_b", "2026-01-01_c"):
        shutil.copytree(example_path(), empty_window.context.runs_directory.path / name)
    view = show(empty_window, qtbot)
    view.table.select(empty_window.context.runs_directory.path / "2026-01-02_b")
    return view


@pytest.fixture
def trash(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where what is thrown away lies."""
    folder = home / "data" / "Trash" / "files"
    folder.parents[1].mkdir(exist_ok=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(folder.parents[1]))
    return folder
