"""Runs are moved to the trash, except those in use."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QElapsedTimer, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.run_folder import RunFolder, list_runs
from gui.main_window import MainWindow
from gui.runs.rows import RunRow, RunRowReader, example_path
from gui.views.runs import RunsView
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.views.runs.steps import Wait, names, row_of, show


def test_a_run_is_moved_to_the_trash_and_the_next_one_is_selected(
    three_runs: RunsView, qtbot: QtBot, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (delete,) = (one for one in three_runs.findChildren(QShortcut) if one.key() == QKeySequence("Delete"))
    assert not delete.autoRepeat(), "a held key would delete one run after another"
    chosen = not_none(three_runs.table.selected_row)
    before = names(three_runs)
    below = before[before.index("2026-01-02_b") + 1]
    qtbot.keyClick(three_runs.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: not chosen.path.exists() and not three_runs.run_list._is_reading, timeout=WAIT_MS)
    assert [path.name for path in trash.iterdir()] == ["2026-01-02_b"]
    assert names(three_runs) == [name for name in before if name != "2026-01-02_b"]
    assert not_none(three_runs.table.selected_row).path.name == below
    message = "toy_german_english (2026-01-02_b) is in the desktop's trash, and can be restored from there."
    qtbot.waitUntil(three_runs.deleted_label.isVisible, timeout=WAIT_MS)
    assert three_runs.deleted_label.text() == message
    qtbot.waitUntil(lambda: not three_runs.run_list._is_reading, timeout=WAIT_MS)
    delete_by_a_double_click(three_runs, qtbot, trash, monkeypatch)


class Stopwatch(QElapsedTimer):
    """A timer whose time a test advances."""

    def __init__(self) -> None:
        super().__init__()
        self._passed: int | None = None

    def start(self) -> None:
        self._passed = 0

    def isValid(self) -> bool:
        return self._passed is not None

    def hasExpired(self, milliseconds: int) -> bool:
        return not_none(self._passed) > milliseconds

    def pass_by(self, milliseconds: int) -> None:
        if self._passed is not None:
            self._passed += milliseconds


def delete_by_a_double_click(view: RunsView, qtbot: QtBot, trash: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Double-click Delete while redrawing the table takes longer than a double click: only one run is deleted."""
    stopwatch = Stopwatch()
    monkeypatch.setattr(view, "_deleted", stopwatch)
    view.run_list.changed.connect(lambda: stopwatch.pass_by(2 * QApplication.doubleClickInterval()))
    before, num_trashed, chosen = names(view), len(list(trash.iterdir())), view.table.selected_row
    assert chosen is not None
    for _ in range(2):  # a double click
        qtbot.mouseClick(view.delete_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not chosen.path.exists() and not view.run_list._is_reading, timeout=WAIT_MS)
    assert len(names(view)) == len(before) - 1 and len(list(trash.iterdir())) == num_trashed + 1


def test_a_run_deleted_while_the_folder_is_read_does_not_reappear(
    three_runs: RunsView, qtbot: QtBot, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, may_show, seen = RunRowReader.read, threading.Event(), list[list[str]]()

    def read_slowly(rows: RunRowReader) -> list[RunRow]:
        found = read(rows)
        may_show.wait()
        return found

    qtbot.waitUntil(lambda: not three_runs.run_list._is_reading, timeout=WAIT_MS)
    monkeypatch.setattr(RunRowReader, "read", read_slowly)
    three_runs.run_list.changed.connect(lambda: seen.append(names(three_runs)))
    three_runs.run_list.refresh()
    qtbot.keyClick(three_runs.table, Qt.Key.Key_Delete)
    may_show.set()
    qtbot.waitUntil(
        lambda: three_runs.deleted_label.isVisible() and not three_runs.run_list._is_reading, timeout=WAIT_MS
    )
    assert len(seen) == 3 and not any("2026-01-02_b" in shown for shown in seen)


def test_a_run_that_cannot_be_trashed_is_reported_and_stays_and_one_deleted_by_another_program_is_gone(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without_trash:
        without_trash.setenv("XDG_DATA_HOME", "/proc/nowhere")
        qtbot.mouseClick(three_runs.delete_button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(empty_window.trouble_strip.isVisible, timeout=WAIT_MS)
    assert "2026-01-02_b could not be moved to the trash" in empty_window.trouble_strip.sentence.text()
    qtbot.waitUntil(lambda: "2026-01-02_b" in names(three_runs), timeout=WAIT_MS)

    empty_window.trouble_strip.dismiss()
    three_runs.table.select(three_runs.context.runs_directory.path / "2026-01-02_b")
    shutil.rmtree(three_runs.context.runs_directory.path / "2026-01-02_b")
    qtbot.keyClick(three_runs.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(empty_window.trouble_strip.isVisible, timeout=WAIT_MS)
    assert empty_window.trouble_strip.sentence.text().endswith("2026-01-02_b is no longer there.")
    assert "deleted or moved" in empty_window.trouble_strip.advice.text()


def test_several_runs_are_trashed_and_one_in_use_is_reported(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot, trash: Path
) -> None:
    runs_dir, deleted = three_runs.context.runs_directory.path, list[Path]()
    three_runs.deleted.connect(deleted.append)
    three_runs.table.select_rows([runs_dir / name for name in ("2026-01-03_a", "2026-01-02_b", "2026-01-01_c")])
    RunFolder.open(runs_dir / "2026-01-02_b").update(pid=7, host="elsewhere")  # another process has just claimed it
    qtbot.keyClick(three_runs.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(empty_window.trouble_strip.isVisible, timeout=WAIT_MS)
    assert "2026-01-02_b is being written by process 7 on elsewhere" in empty_window.trouble_strip.sentence.text()
    assert three_runs.deleted_label.text().startswith("2 of 3 runs are in the desktop's trash")
    assert three_runs.deleted_label.isVisible()
    assert sorted(path.name for path in trash.iterdir()) == ["2026-01-01_c", "2026-01-03_a"]
    assert deleted == [runs_dir / "2026-01-03_a", runs_dir / "2026-01-01_c"]
    qtbot.waitUntil(lambda: "2026-01-02_b" in names(three_runs), timeout=WAIT_MS)


def damage(run: Path) -> None:
    """Damage a run that another process writes."""
    RunFolder.open(run).update(pid=7, host="elsewhere")
    (run / "config.yaml").write_text("{", encoding="utf-8")


def write_as_a_newer_version(run: Path) -> None:
    state = json.loads((run / "run.json").read_text(encoding="utf-8"))
    del state["checksum"]
    (run / "run.json").write_text(json.dumps(state | {"format": 2}), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "why"),
    [(damage, "is being written by process 7"), (write_as_a_newer_version, "a newer version of Headlight made this")],
)
def test_a_run_that_cannot_be_opened_is_kept_if_it_may_be_in_use(
    three_runs: RunsView,
    empty_window: MainWindow,
    qtbot: QtBot,
    trash: Path,
    change: Callable[[Path], None],
    why: str,
) -> None:
    run = three_runs.context.runs_directory.path / "2026-01-02_b"
    change(run)
    qtbot.keyClick(three_runs.table, Qt.Key.Key_F5)
    number = row_of(three_runs, qtbot, lambda row: row.path == run and bool(row.problem))
    three_runs.table.setCurrentCell(number, 0)
    qtbot.keyClick(three_runs.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: why in empty_window.trouble_strip.sentence.text(), timeout=WAIT_MS)
    assert run.is_dir() and not trash.exists()


def test_the_example_and_the_current_run_cannot_be_deleted(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait
) -> None:
    window.context.workbench.learn(3)
    wait_for_state("paused")
    view = show(window, qtbot)
    for wanted, reason in ((lambda row: row.is_ours, "is open in this window"), (lambda row: row.is_example, "stays")):
        view.table.setCurrentCell(row_of(view, qtbot, wanted), 0)
        assert not view.delete_button.isEnabled() and reason in view.delete_button.toolTip()
        qtbot.keyClick(view.table, Qt.Key.Key_Delete)
    assert len(list_runs(window.context.runs_directory.path)) == 1 and example_path().is_dir()


def test_a_run_being_opened_cannot_be_deleted(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot, trash: Path
) -> None:
    chosen, workbench = three_runs.table.selected_row, empty_window.context.workbench
    assert chosen is not None
    for open_it in (partial(workbench.branch, chosen.path, 800), partial(workbench.open_run, chosen.path)):
        open_it()
        three_runs.delete_chosen()
        qtbot.waitUntil(lambda: not workbench.is_opening, timeout=WAIT_MS)
        assert chosen.path.is_dir() and empty_window.trouble_strip.trouble is None
    assert workbench.run == chosen.path
