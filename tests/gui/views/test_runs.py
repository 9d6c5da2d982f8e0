"""The Runs view, driven as a person drives it, on runs that a real engine and a real process write."""

from __future__ import annotations

import errno
import itertools
import math
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QIcon, QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from core.config import change_setting
from core.engine import Engine
from core.events import SettingChanged
from core.resuming import cut_back
from core.run_files.validation_file import validation_bytes
from core.run_folder import RunFolder, RunLabel, list_runs
from core.typed_path import from_home
from gui.main_window import MainWindow
from gui.panel import Panel
from gui.panels.runs.comparison import RunComparison
from gui.runs.compared import At, Comparison, RunsReader
from gui.runs.rows import EXAMPLE_NAME, NUM_LOSSES, RunRow, RunRows, example_path
from gui.smoothing import smoothed
from gui.theme import GRID
from gui.views.runs import EMPTY, RunsView

Wait = Callable[[str], None]
WAIT_MS = 100_000
ROOT = Path(__file__).parents[3]
TINY = (
    *("dataset.options.num_symbols=4", "dataset.options.min_length=3", "dataset.options.max_length=3"),
    *("model.d_model=16", "model.num_heads=2", "model.num_encoder_layers=1", "model.num_decoder_layers=1"),
    *("model.d_ff=16", "training.batch_size=4", "training.num_threads=1", "training.max_steps=100000"),
    *("training.probe_every=20", "training.checkpoint_every=50", "training.validate_every=100000"),
)

SLOWLY = """
import sys, time
from core.cli import main
from core.training.trainer import Trainer
take_step = Trainer._take_step
def take_step_slowly(trainer):
    time.sleep(0.005)  # the window needs the processor too
    take_step(trainer)
Trainer._take_step = take_step_slowly
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that trains without end into the window's runs folder."""
    settings = [word for setting in TINY for word in ("--set", setting)]
    arguments = ["train", "copy_task", *settings, "--runs-dir", str(tmp_path / "runs")]
    command = [sys.executable, "-c", SLOWLY, *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield process
    process.terminate()
    process.wait(100)


def show(window: MainWindow, qtbot: QtBot) -> RunsView:
    """Open the view as the rail does, and wait for its rows."""
    window.show_view(window.views.index(window.runs_view))
    qtbot.waitUntil(lambda: bool(window.runs_view.table.rows), timeout=WAIT_MS)
    return window.runs_view


def row_of(view: RunsView, qtbot: QtBot, wanted: Callable[[RunRow], bool]) -> int:
    """Waits for a row of this kind; its number."""
    qtbot.waitUntil(lambda: any(map(wanted, view.table.rows)), timeout=WAIT_MS)
    return next(number for number, row in enumerate(view.table.rows) if wanted(row))


def text(view: RunsView, row: int) -> list[str]:
    return [view.table.item(row, column).text() for column in range(view.table.columnCount())]


def learn_to_the_end(window: MainWindow, qtbot: QtBot, steps: int = 6) -> Path:
    """A finished run of a few steps."""
    window.context.workbench.edit("training.max_steps", steps)
    window.context.workbench.learn()
    qtbot.waitUntil(lambda: window.context.bridge.state == "finished", timeout=WAIT_MS)
    return list_runs(window.context.place.path)[-1]


def test_without_runs_it_says_how_one_begins_and_each_control_is_named_and_in_its_place(
    empty_window: MainWindow, qtbot: QtBot
) -> None:
    view = show(empty_window, qtbot)
    assert view.table.hasFocus()
    assert view.empty_label.isVisible() and view.empty_label.text() == EMPTY
    assert view.path_label.text() == str(empty_window.context.place.path)
    assert [row.name for row in view.table.rows] == [EXAMPLE_NAME]
    assert text(view, 0)[1] == "0" and text(view, 0)[3:] == ["finished", "800", "", "0.0833", "99.6 %", ""]

    def right_of(part: QWidget) -> int:
        return part.mapTo(view, part.rect().topRight()).x()

    assert right_of(view.refresh_button) == right_of(view.table), "its buttons end where the table below them ends"
    for control in (view.open_button, view.continue_button, view.follow_button, view.refresh_button, view.table):
        assert control.accessibleName() and control.toolTip()
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_the_folder_of_runs_is_named_from_home(home: Path) -> None:
    assert from_home(home / "share" / "runs") == "~/share/runs"
    assert from_home(Path("/elsewhere/runs")) == "/elsewhere/runs"


def test_so_it_is_where_home_is_a_link(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "me"
    link.symlink_to(home)
    monkeypatch.setenv("HOME", str(link))
    monkeypatch.setenv("USERPROFILE", str(link))
    for path in (link / "runs", home / "runs"):
        assert from_home(path) == "~/runs"


def test_the_example_opens_and_stays_as_it_is(empty_window: MainWindow, qtbot: QtBot) -> None:
    view, before = show(empty_window, qtbot), files_of(example_path())
    assert not view.continue_button.isEnabled() and "stays as it is" in view.continue_button.toolTip()
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    assert empty_window.pages.currentWidget() is empty_window.train_view
    qtbot.waitUntil(lambda: empty_window.context.playhead.live_step == 800, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: empty_window.context.bridge.state == "finished", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not empty_window.context.workbench.is_opening, timeout=WAIT_MS)
    assert not empty_window.transport.learn_button.isEnabled()
    assert "Reset" in empty_window.transport.learn_button.toolTip()
    empty_window.context.workbench.edit("training.max_grad_norm", 2.0)
    done: list[object] = []
    empty_window.context.follow_sentence(empty_window.context.bridge.history.prepared.examples[0])
    empty_window.context.bridge.call(lambda: None, done.append)
    qtbot.waitUntil(lambda: bool(done), timeout=WAIT_MS)
    empty_window.context.workbench.prepare()
    qtbot.waitUntil(lambda: empty_window.context.bridge.state == "ready", timeout=WAIT_MS)
    assert empty_window.transport.learn_button.isEnabled()
    assert files_of(example_path()) == before
    assert not empty_window.strip.isVisible()


def files_of(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_a_finished_run_opens_translates_and_goes_on(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait, tmp_path: Path
) -> None:
    run = learn_to_the_end(window, qtbot)
    window.context.workbench.prepare()  # leave it
    wait_for_state("ready")
    view = show(window, qtbot)
    number = row_of(view, qtbot, lambda row: row.path == run)
    assert number == 0 and view.table.rows[-1].is_example and not view.empty_label.isVisible()
    assert text(view, 0)[3:5] == ["finished", "6"] and text(view, 0)[6] != "–"
    view.table.setCurrentCell(0, 0)
    qtbot.mouseClick(view.open_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.context.playhead.live_step == 6, timeout=WAIT_MS)
    assert window.pages.currentWidget() is window.train_view
    assert len(window.context.bridge.history.curve("train/loss")[0]) == 6
    window.show_view(window.views.index(window.translate_view))
    window.translate_view.translate("1 2 3")
    qtbot.waitUntil(lambda: window.translate_view.typed.translation is not None, timeout=WAIT_MS)
    assert window.translate_view.typed.translation.step == 6
    show(window, qtbot)
    view.table.setCurrentCell(0, 0)
    qtbot.mouseClick(view.continue_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.context.bridge.history.last_step > 20, timeout=WAIT_MS)
    assert window.context.bridge.history.prepared.config.training.max_steps == 1006
    assert list_runs(tmp_path / "runs") == [run]


def test_a_stopped_run_goes_on_where_it_was(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait, tmp_path: Path
) -> None:
    window.context.workbench.learn(10)
    wait_for_state("paused")
    view = show(window, qtbot)
    row_of(view, qtbot, lambda row: row.state == "paused in this window" and row.step == 10)
    window.context.workbench.prepare()  # leave it
    wait_for_state("ready")
    view.table.setCurrentCell(row_of(view, qtbot, lambda row: row.state == "stopped"), 0)
    view.continue_chosen()
    wait_for_state("finished")
    assert window.context.bridge.history.last_step == 40
    assert len(list_runs(tmp_path / "runs")) == 1


def test_what_is_no_run_is_a_row_that_says_so(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    run = learn_to_the_end(window, qtbot)
    (tmp_path / "runs" / "holiday pictures").mkdir()
    (run / "run.json").write_text("{", encoding="utf-8")
    view = show(window, qtbot)
    for path, says in ((run, "run.json"), (tmp_path / "runs" / "holiday pictures", "it has no run.json")):
        number = row_of(view, qtbot, lambda row, path=path: row.path == path and bool(row.problem))
        assert says in text(view, number)[3]
        view.table.setCurrentCell(number, 0)
        for action in (view.open_button, view.continue_button):
            assert not action.isEnabled() and says in action.toolTip()


def test_a_row_follows_the_run_of_this_window(window: MainWindow, qtbot: QtBot, wait_for_state: Wait) -> None:
    view = show(window, qtbot)
    qtbot.waitUntil(view.empty_label.isVisible, timeout=WAIT_MS)
    window.context.workbench.set_pace(1)
    window.context.workbench.learn()
    row_of(view, qtbot, lambda row: row.state == "learning in this window")
    window.context.workbench.set_pace(None)
    row_of(view, qtbot, lambda row: row.state == "finished" and row.step == 40)


def test_the_run_that_is_learning_is_shown_and_not_loaded_again(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait
) -> None:
    window.context.workbench.edit("training.max_steps", 100_000)
    window.context.workbench.set_pace(10)
    window.context.workbench.learn()
    wait_for_state("learning")
    view = show(window, qtbot)
    view.table.setCurrentCell(row_of(view, qtbot, lambda row: row.is_ours and bool(row.checkpoint_steps)), 0)
    states: list[str] = []
    window.context.bridge.state_changed.connect(lambda change: states.append(change.state))
    for act in (view.open_chosen, view.continue_chosen):
        before = window.context.bridge.history.last_step
        act()
        assert window.pages.currentWidget() is window.train_view
        qtbot.waitUntil(lambda before=before: window.context.bridge.history.last_step > before, timeout=WAIT_MS)
        assert states == []
    window.context.workbench.toggle()
    wait_for_state("paused")
    view.continue_chosen()
    wait_for_state("learning")
    assert states == ["paused", "learning"]


@pytest.mark.parametrize("act", [RunsView.open_chosen, RunsView.continue_chosen])
def test_the_run_at_hand_that_is_chosen_while_another_is_opened_stays(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait, act: Callable[[RunsView], None]
) -> None:
    workbench = window.context.workbench
    workbench.learn(3)
    wait_for_state("paused")
    run, view = workbench.run, show(window, qtbot)
    view.table.setCurrentCell(row_of(view, qtbot, lambda row: row.is_ours and bool(row.checkpoint_steps)), 0)
    workbench.open_run(example_path())
    act(view)
    qtbot.waitUntil(lambda: not workbench.is_opening, timeout=WAIT_MS)
    assert workbench.run == run
    wait_for_state("paused" if act is RunsView.open_chosen else "finished")


def test_f5_finds_what_was_put_there(empty_window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    view = show(empty_window, qtbot)
    RunFolder.create(tmp_path / "runs", "half made")
    qtbot.keyClick(view.table, Qt.Key.Key_F5)
    row_of(view, qtbot, lambda row: "it has no config.yaml" in row.problem)


def test_a_run_that_another_process_begins_or_goes_on_with_is_seen_as_it_does(
    empty_window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    view = show(empty_window, qtbot)
    qtbot.waitUntil(lambda: not view._is_reading, timeout=WAIT_MS)
    run = shutil.copytree(example_path(), tmp_path / "runs" / "run")
    number = row_of(view, qtbot, lambda row: row.path == run)
    assert view.table.rows[number].writer is None
    RunFolder.open(run).update(state="learning", pid=os.getppid(), host=socket.gethostname(), pid_started=None)
    row_of(view, qtbot, lambda row: row.writer == f"process {os.getppid()}")


def test_another_process_is_followed_live(
    window: MainWindow, qtbot: QtBot, writing: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    context, view = window.context, show(window, qtbot)
    qtbot.waitUntil(lambda: bool(list_runs(tmp_path / "runs")), timeout=WAIT_MS)
    view.refresh()
    number = row_of(view, qtbot, lambda row: row.writer == f"process {writing.pid}" and bool(row.checkpoint_steps))
    assert text(view, number)[3] == f"learning by process {writing.pid}"
    step = view.table.rows[number].step
    qtbot.waitUntil(lambda: view.table.rows[number].step > step, timeout=WAIT_MS)  # the table is live as well
    view.table.setCurrentCell(number, 0)
    assert not view.continue_button.isEnabled() and "Only one process" in view.continue_button.toolTip()
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    assert window.pages.currentWidget() is window.train_view
    watching = f"watching process {writing.pid} · step "
    qtbot.waitUntil(lambda: window.transport.state_label.text().startswith(watching), timeout=WAIT_MS)
    assert not window.transport.learn_button.isEnabled()
    step = context.playhead.live_step
    qtbot.waitUntil(lambda: context.playhead.live_step > step + 50, timeout=WAIT_MS)
    assert_all_of_it_is_the_other_run(window, qtbot)
    row = window.train_view.sentence_row
    qtbot.waitUntil(
        lambda: row.source_label.text() == context.bridge.shown.probe(step).sentences[0].source, timeout=WAIT_MS
    )
    writing.terminate()
    writing.wait(100)
    ended = "is no longer being written"
    qtbot.waitUntil(lambda: ended in window.transport.state_label.text(), timeout=WAIT_MS)
    assert context.playhead.live_step == RunFolder.open(list_runs(tmp_path / "runs")[0]).last_trained_step()
    assert context.bridge.history.last_step == 0  # its own run is as it was
    show(window, qtbot)
    assert view.follow_button.text() == "Stop following"
    qtbot.waitUntil(lambda: "stop following it first" in view.delete_button.toolTip(), timeout=WAIT_MS)
    qtbot.mouseClick(view.follow_button, Qt.MouseButton.LeftButton)
    assert context.playhead.live_step == 0 and window.transport.learn_button.isEnabled()


def test_a_run_is_followed_on_while_the_first_data_are_prepared(
    empty_window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, context, view = empty_window, empty_window.context, empty_window.runs_view
    may_prepare, take_turn = threading.Event(), Engine._take_turn

    def take_turn_later(engine: Engine, desk: Any) -> None:
        may_prepare.wait()
        take_turn(engine, desk)

    monkeypatch.setattr(Engine, "_take_turn", take_turn_later)
    run = shutil.copytree(example_path(), tmp_path / "runs" / "run")
    RunFolder.open(run).update(state="learning", pid=os.getppid(), host=socket.gethostname(), pid_started=None)
    try:
        window.begin()
        window.show_view(window.views.index(view))
        view.table.setCurrentCell(row_of(view, qtbot, lambda row: row.writer is not None), 0)
        qtbot.keyClick(view.table, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: context.playhead.live_step == 800, timeout=WAIT_MS)
        context.playhead.view(400)
        assert context.bridge.state in ("starting", "preparing")
    finally:
        may_prepare.set()
    qtbot.waitUntil(lambda: context.bridge.state == "ready", timeout=WAIT_MS)
    assert context.follower.run == run and context.playhead.step == 400
    window.transport.reset_button.click()
    assert context.follower.run is None and context.playhead.live_step == 0


def test_a_run_that_cannot_be_followed_now_is_not_opened_in_its_place(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """Its last checkpoint would take the place of one's own run, which learns."""
    context, view = window.context, window.runs_view
    run = shutil.copytree(example_path(), tmp_path / "runs" / "run")
    RunFolder.open(run).update(state="learning", pid=os.getppid(), host=socket.gethostname(), pid_started=None)
    context.workbench.edit("training.max_steps", 1_000_000)
    context.workbench.learn()
    qtbot.waitUntil(lambda: context.bridge.state == "learning", timeout=WAIT_MS)
    show(window, qtbot)
    view.table.setCurrentCell(row_of(view, qtbot, lambda row: row.path == run), 0)
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    qtbot.waitUntil(window.strip.isVisible, timeout=WAIT_MS)
    assert window.strip.sentence.text() == "Your own run is learning: pause it first."
    assert context.bridge.state == "learning" and context.workbench.run != run and context.follower.run is None


def test_a_run_that_is_still_being_read_is_not_followed_once_ones_own_learns(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait
) -> None:
    context, may_read = window.context, threading.Event()
    context.bridge.call(may_read.wait)  # as a slow disk
    context.follower.follow(example_path())
    window.transport.learn_button.click()
    may_read.set()
    answered: list[object] = []
    context.bridge.call(lambda: None, answered.append)
    qtbot.waitUntil(lambda: bool(answered), timeout=WAIT_MS)
    wait_for_state("finished")
    assert context.follower.run is None and context.bridge.shown is context.bridge.history


def assert_all_of_it_is_the_other_run(window: MainWindow, qtbot: QtBot) -> None:
    """Levels, plan and figures are those of the followed run; nothing is asked of the window's own model meanwhile."""
    followed, curves = window.context.bridge.shown, window.train_view.curves
    assert followed.prepared is not None and followed.prepared.config.training.max_steps == 100_000
    qtbot.waitUntil(lambda: curves.loss._levels["guessing"].value() == math.log(8), timeout=WAIT_MS)
    assert curves.learning_rate._planned.getData()[0][-1] == 100_000
    assert "8 → 8 tokens" in window.status_bar.size_label.text()
    for row in (window.train_view.sentence_row, window.attention_view.sentence_row):
        assert not row.add_button.isEnabled() and "Stop following" in row.add_button.toolTip()
    view = window.translate_view
    window.show_view(window.views.index(view))
    assert view.follow_label.isVisible() and "weights are over there" in view.follow_label.text()
    assert view.stop_following_button.isVisible() and not view.translate_button.isVisible()
    assert not view.typed._is_watched
    window.show_view(window.views.index(window.train_view))


@pytest.fixture
def three_runs(empty_window: MainWindow, qtbot: QtBot) -> RunsView:
    """The view on three finished runs, "b" the chosen one, and the example."""
    for name in ("2026-01-03_a", "2026-01-02_b", "2026-01-01_c"):
        shutil.copytree(example_path(), empty_window.context.place.path / name)
    view = show(empty_window, qtbot)
    view.table.choose(empty_window.context.place.path / "2026-01-02_b")
    return view


def names(view: RunsView) -> list[str]:
    return [row.path.name for row in view.table.rows]


@pytest.fixture
def trash(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where what is thrown away lies."""
    folder = home / "data" / "Trash" / "files"
    folder.parents[1].mkdir(exist_ok=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(folder.parents[1]))
    return folder


def test_a_run_is_moved_to_the_trash_and_the_next_one_chosen(three_runs: RunsView, qtbot: QtBot, trash: Path) -> None:
    (delete,) = (one for one in three_runs.findChildren(QShortcut) if one.key() == QKeySequence("Delete"))
    assert not delete.autoRepeat(), "held it would take one run after another"
    chosen = three_runs.table.chosen
    assert chosen is not None
    before = names(three_runs)
    below = before[before.index("2026-01-02_b") + 1]
    qtbot.keyClick(three_runs.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: not chosen.path.exists() and not three_runs._is_reading, timeout=WAIT_MS)
    assert [path.name for path in trash.iterdir()] == ["2026-01-02_b"]
    assert names(three_runs) == [name for name in before if name != "2026-01-02_b"]
    assert three_runs.table.chosen is not None and three_runs.table.chosen.path.name == below
    said = "toy_german_english (2026-01-02_b) is in the trash of the desktop, and can be restored from there."
    qtbot.waitUntil(three_runs.deleted_label.isVisible, timeout=WAIT_MS)
    assert three_runs.deleted_label.text() == said
    qtbot.waitUntil(lambda: not three_runs._is_reading, timeout=WAIT_MS)
    delete_by_a_double_click(three_runs, qtbot, trash)


class Stopwatch:
    """A QElapsedTimer whose time passes where a test says so."""

    def __init__(self) -> None:
        self._passed: int | None = None

    def start(self) -> None:
        self._passed = 0

    def isValid(self) -> bool:  # as Qt calls it
        return self._passed is not None

    def hasExpired(self, milliseconds: int) -> bool:
        assert self._passed is not None
        return self._passed > milliseconds

    def pass_by(self, milliseconds: int) -> None:
        if self._passed is not None:
            self._passed += milliseconds


def delete_by_a_double_click(view: RunsView, qtbot: QtBot, trash: Path) -> None:
    """It takes one run, not the next one too, though the table takes longer to draw than such a click."""
    view._deleted, search = Stopwatch(), view._search

    def search_slowly() -> None:
        search()
        view._deleted.pass_by(2 * QApplication.doubleClickInterval())

    view._search = search_slowly
    before, thrown_away, chosen = names(view), len(list(trash.iterdir())), view.table.chosen
    assert chosen is not None
    for _ in range(2):  # as a double one comes
        qtbot.mouseClick(view.delete_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not chosen.path.exists() and not view._is_reading, timeout=WAIT_MS)
    assert len(names(view)) == len(before) - 1 and len(list(trash.iterdir())) == thrown_away + 1


def test_a_run_that_is_deleted_while_the_folder_is_read_does_not_come_back(
    three_runs: RunsView, qtbot: QtBot, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, search, may_show, seen = RunRows.read, three_runs._search, threading.Event(), list[list[str]]()

    def read_slowly(rows: RunRows) -> list[RunRow]:
        found = read(rows)
        may_show.wait()
        return found

    def note_what_is_shown() -> None:
        search()
        seen.append(names(three_runs))

    qtbot.waitUntil(lambda: not three_runs._is_reading, timeout=WAIT_MS)
    monkeypatch.setattr(RunRows, "read", read_slowly)
    monkeypatch.setattr(three_runs, "_search", note_what_is_shown)
    three_runs.refresh()
    qtbot.keyClick(three_runs.table, Qt.Key.Key_Delete)
    may_show.set()
    qtbot.waitUntil(lambda: three_runs.deleted_label.isVisible() and not three_runs._is_reading, timeout=WAIT_MS)
    assert len(seen) == 3 and not any("2026-01-02_b" in shown for shown in seen)


def test_the_newest_kept_step_of_each_run_is_offered(three_runs: RunsView) -> None:
    details, (one, *_, other) = three_runs.details, (replace(row, checkpoint_steps=()) for row in three_runs.table.rows)
    details.show_row(replace(one, snapshot_steps=(100, 800)))
    details.show_row(replace(one, snapshot_steps=(100, 800, 900)))  # it has learned on
    assert details.step_combo.currentData() == 900
    details.step_combo.setCurrentIndex(details.step_combo.findData(800))
    details.show_row(replace(one, snapshot_steps=(100, 800, 900, 1000)))
    assert details.step_combo.currentData() == 800  # as somebody chose
    details.show_row(replace(other, snapshot_steps=(800, 5000)))
    assert details.step_combo.currentData() == 5000


def test_one_run_is_chosen_though_ctrl_is_held(three_runs: RunsView, qtbot: QtBot) -> None:
    """As while Ctrl+6 opens the view: what is chosen is what Delete takes."""
    other = three_runs.table.rows[-1].path
    assert three_runs.table.chosen is not None and three_runs.table.chosen.path != other
    qtbot.keyPress(three_runs.table, Qt.Key.Key_Control, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.ControlModifier
    three_runs.table.choose(other)
    qtbot.keyRelease(three_runs.table, Qt.Key.Key_Control)
    assert [row.path for row in three_runs.table.all_chosen] == [other]


def test_what_no_trash_takes_is_told_and_stays(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/proc/nowhere")
    qtbot.mouseClick(three_runs.delete_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(empty_window.strip.isVisible, timeout=WAIT_MS)
    assert "2026-01-02_b could not be moved to the trash" in empty_window.strip.sentence.text()
    qtbot.waitUntil(lambda: "2026-01-02_b" in names(three_runs), timeout=WAIT_MS)


def test_a_run_that_somebody_else_deleted_is_said_to_be_gone(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot, trash: Path
) -> None:
    shutil.rmtree(three_runs.context.place.path / "2026-01-02_b")
    qtbot.keyClick(three_runs.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(empty_window.strip.isVisible, timeout=WAIT_MS)
    assert empty_window.strip.sentence.text().endswith("2026-01-02_b is not there any more.")
    assert "deleted or moved it" in empty_window.strip.advice.text()


def test_of_several_runs_those_that_went_are_told_beside_the_one_that_stays(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot, trash: Path
) -> None:
    place, gone = three_runs.context.place.path, list[Path]()
    three_runs.deleted.connect(gone.append)
    three_runs.table.choose_all([place / name for name in ("2026-01-03_a", "2026-01-02_b", "2026-01-01_c")])
    RunFolder.open(place / "2026-01-02_b").update(pid=7, host="elsewhere")  # it began to be written a moment ago
    qtbot.keyClick(three_runs.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(empty_window.strip.isVisible, timeout=WAIT_MS)
    assert "2026-01-02_b is being written by process 7 on elsewhere" in empty_window.strip.sentence.text()
    assert three_runs.deleted_label.text().startswith("2 of 3 runs are in the trash of the desktop")
    assert three_runs.deleted_label.isVisible()
    assert sorted(path.name for path in trash.iterdir()) == ["2026-01-01_c", "2026-01-03_a"]
    assert gone == [place / "2026-01-03_a", place / "2026-01-01_c"]
    qtbot.waitUntil(lambda: "2026-01-02_b" in names(three_runs), timeout=WAIT_MS)


def test_the_example_and_the_run_at_hand_are_not_thrown_away(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait
) -> None:
    window.context.workbench.learn(3)
    wait_for_state("paused")
    view = show(window, qtbot)
    for wanted, reason in ((lambda row: row.is_ours, "has this run open"), (lambda row: row.is_example, "stays")):
        view.table.setCurrentCell(row_of(view, qtbot, wanted), 0)
        assert not view.delete_button.isEnabled() and reason in view.delete_button.toolTip()
        qtbot.keyClick(view.table, Qt.Key.Key_Delete)
    assert len(list_runs(window.context.place.path)) == 1 and example_path().is_dir()


def test_a_run_that_is_being_opened_is_not_thrown_away(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot, trash: Path
) -> None:
    chosen, workbench = three_runs.table.chosen, empty_window.context.workbench
    assert chosen is not None
    for open_it in (partial(workbench.branch, chosen.path, 800), partial(workbench.open_run, chosen.path)):
        open_it()
        three_runs.delete_chosen()
        qtbot.waitUntil(lambda: not workbench.is_opening, timeout=WAIT_MS)
        assert chosen.path.is_dir() and empty_window.strip.trouble is None
    assert workbench.run == chosen.path


def test_a_click_on_a_row_says_at_once_what_can_be_done_with_it(three_runs: RunsView, qtbot: QtBot) -> None:
    table = three_runs.table
    for wanted, is_kept in ((lambda row: row.is_example, True), (lambda row: not row.is_example, False)):
        place = table.visualItemRect(table.item(row_of(three_runs, qtbot, wanted), 0)).center()
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert three_runs.delete_button.isEnabled() is not is_kept


def test_a_sparkline_says_how_the_loss_went_and_a_search_leaves_the_runs_that_have_all_its_words(
    three_runs: RunsView, qtbot: QtBot
) -> None:
    row, cell = three_runs.table.rows[0], three_runs.table.item(0, 5)
    _, metrics = RunFolder.open(example_path()).metrics()
    assert len(row.losses) == NUM_LOSSES and row.losses[0] == metrics["train/loss"][0]
    assert set(row.losses) <= set(metrics["train/loss"])
    assert cell is not None
    assert cell.data(Qt.ItemDataRole.AccessibleTextRole) == f"loss from {row.losses[0]:.3g} to {row.losses[-1]:.3g}"

    everything = names(three_runs)
    qtbot.keyClick(three_runs, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(three_runs.search_edit, "FINISHED 01_c")
    assert names(three_runs) == ["2026-01-01_c"]
    qtbot.keyClicks(three_runs.search_edit, "x")
    assert names(three_runs) == [] and "No run matches" in three_runs.empty_label.text()
    qtbot.keyClick(three_runs.search_edit, Qt.Key.Key_Escape)
    assert names(three_runs) == everything and three_runs.table.hasFocus()


def choose_both(view: RunsView, *folders: str) -> None:
    view.table.clearSelection()
    view.table.choose_all([row.path for row in view.table.rows if row.path.name in folders])


def test_several_chosen_runs_are_compared(three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot) -> None:
    folder = empty_window.context.place.path / "2026-01-03_a"
    RunFolder.open(folder).write_config(change_setting(RunFolder.open(folder).config(), "training.max_grad_norm", 0.5))
    RunFolder.open(folder).append_setting(SettingChanged(step=800, key="training.label_smoothing", value=0.25))
    three_runs.refresh()
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    panel = three_runs.sides.comparison
    qtbot.waitUntil(lambda: num_shown(panel) == 2 and not panel.is_dirty, timeout=WAIT_MS)
    heads = [panel.table.horizontalHeaderItem(column).text() for column in range(panel.table.columnCount())]
    cells = {
        panel.table.item(row, 0).text(): [panel.table.item(row, column).text() for column in (1, 2)]
        for row in range(panel.table.rowCount())
    }
    assert three_runs.table.hasFocus()  # the keys go on choosing
    names = [f"toy_german_english, {folder}" for folder in ("2026-01-02_b", "2026-01-03_a")]  # begun in one second
    assert heads[0] == "differences" and sorted(head[3:] for head in heads[1:]) == names
    given = dict(zip((head[3:] for head in heads[1:]), cells["training.max_grad_norm"], strict=True))
    assert given == dict(zip(names, ("1", "0.5"), strict=True))
    assert sorted(cells["training.label_smoothing"]) == ["0.1", "0.1, 0.25 from step 800"]
    assert "training.seed" not in cells and cells["last_step"] == ["800", "800"]
    steps, losses = RunFolder.open(folder).metrics()
    np.testing.assert_array_equal(panel.comparison.runs[0].training[0], steps)
    np.testing.assert_array_equal(panel.comparison.runs[0].training[1], smoothed(losses["train/loss"]))
    assert len(panel.numbers()) == 1 + 2 * (800 + len(panel.comparison.runs[0].validation[0]))
    qtbot.keyClicks(three_runs.search_edit, "no such run")
    qtbot.waitUntil(lambda: panel.is_empty, timeout=WAIT_MS)
    assert "are compared" in panel.empty_label.text()


def num_shown(panel: RunComparison) -> int:
    return len(panel.comparison.runs) if panel.comparison is not None else 0


def test_a_single_chosen_run_shows_its_losses_settings_head_and_texts(three_runs: RunsView, qtbot: QtBot) -> None:
    folder, sides = three_runs.context.place.path / "2026-01-03_a", three_runs.sides
    RunFolder.open(folder).append_setting(SettingChanged(step=800, key="training.label_smoothing", value=0.25))
    three_runs.table.choose(folder)
    panel = sides.comparison
    qtbot.waitUntil(lambda: num_shown(panel) == 1 and not panel.is_dirty, timeout=WAIT_MS)
    table = panel.table
    cells = {table.item(row, 0).text(): table.item(row, 1).text() for row in range(table.rowCount())}
    keys = [*cells]
    assert keys.index("loss") < keys.index("model.d_model") and keys[:3] == ["state", "last_step", "best_step"]
    autos = ("dataset.tokenizer", "dataset.max_src_length", "training.num_threads", "decoding.max_length")
    assert not any(key.startswith(autos) for key in keys), "nobody chose what auto became"
    assert table.columnCount() == 2 and table.horizontalHeaderItem(1).text() == "toy_german_english"
    assert cells["model.d_model"] == "48" and cells["training.label_smoothing"] == "0.1, 0.25 from step 800"
    assert "model.norm_first" not in cells  # the default
    steps, _ = RunFolder.open(folder).metrics()
    np.testing.assert_array_equal(panel.comparison.runs[0].training[0], steps)
    assert not any(isinstance(item, pg.TextItem) for item in panel.plot.plotItem.items)  # a letter tells nothing here
    assert three_runs.table.item(0, 0).icon().isNull() and three_runs.details.isVisible()
    sides.choose(1)
    qtbot.waitUntil(lambda: not sides.attention.is_dirty and not sides.attention.is_empty, timeout=WAIT_MS)
    assert [column.isVisible() for column in sides.attention.columns] == [True, False, False, False]
    assert [sides.step_combo.itemText(place) for place in range(2)] == ["newest", "800"]
    said = sides.attention.title_label.text(), sides.attention.columns[0].title_label.text()
    assert said == ("Cross-attention", "toy_german_english · step 800")
    sides.choose(2)
    qtbot.waitUntil(lambda: not sides.translations.is_dirty and not sides.translations.is_empty, timeout=WAIT_MS)
    right = sum(one.hypothesis == one.reference for one in panel.comparison.runs[0].validated)
    assert sides.translations.title_label.text() == f"What the run writes: {right} of 256 are the reference"
    assert sides.translations.table.item(0, 2).text().startswith("✗")  # what is wrong comes first


def test_of_runs_chosen_one_after_another_the_last_is_read_and_the_others_left(
    three_runs: RunsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, going_on = held_reading(three_runs, qtbot, monkeypatch)
    others = [row.path for row in three_runs.table.rows if row.path != three_runs.table.chosen.path]
    for path in others * 2:
        three_runs.table.choose(path)
    qtbot.waitUntil(lambda: bool(read), timeout=WAIT_MS)
    going_on.set()
    qtbot.waitUntil(lambda: three_runs.sides._compared == [others[-1]], timeout=WAIT_MS)
    assert read == [others[0].name, others[-1].name]


def held_reading(view: RunsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], threading.Event]:
    """Which runs are read from now on, the first of each reading; and what lets the readings go on."""
    read, going_on = list[str](), threading.Event()
    whole = RunsReader.read

    def slowly(self: RunsReader, rows: Sequence[RunRow], at: At) -> Comparison:
        read.append(rows[0].path.name)
        assert going_on.wait(WAIT_MS / 1000)
        return whole(self, rows, at)

    qtbot.waitUntil(lambda: num_shown(view.sides.comparison) == 1, timeout=WAIT_MS)
    monkeypatch.setattr(RunsReader, "read", slowly)
    return read, going_on


@pytest.mark.parametrize("damaged", ["", "metrics.jsonl", "probes/000800.safetensors"])
def test_of_a_run_that_was_left_while_it_was_read_nothing_is_told(
    three_runs: RunsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, damaged: str
) -> None:
    run, other = (three_runs.context.place.path / name for name in ("2026-01-03_a", "2026-01-01_c"))
    told: list[str] = []
    three_runs.context.bridge.trouble.connect(lambda trouble: told.append(trouble.sentence))
    read, going_on = held_reading(three_runs, qtbot, monkeypatch)
    three_runs.table.choose(run)
    qtbot.waitUntil(lambda: bool(read), timeout=WAIT_MS)
    if damaged:
        (run / damaged).write_bytes(b"none\n" * 5000)
    else:
        shutil.rmtree(run)
    three_runs.table.choose(other)
    going_on.set()
    qtbot.waitUntil(lambda: three_runs.sides._compared == [other], timeout=WAIT_MS)
    three_runs.context.bridge.drain()
    assert not told


def test_what_is_damaged_is_told_though_another_run_was_chosen_too_while_it_was_read(
    three_runs: RunsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, other = (three_runs.context.place.path / name for name in ("2026-01-03_a", "2026-01-01_c"))
    told: list[str] = []
    three_runs.context.bridge.trouble.connect(lambda trouble: told.append(trouble.sentence))
    read, going_on = held_reading(three_runs, qtbot, monkeypatch)
    (run / "probes" / "000800.safetensors").write_bytes(b"none")
    three_runs.table.choose(run)
    qtbot.waitUntil(lambda: bool(read), timeout=WAIT_MS)
    three_runs.table.choose_all([other])
    going_on.set()
    qtbot.waitUntil(lambda: num_shown(three_runs.sides.comparison) == 2, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bool(told), timeout=WAIT_MS)
    combo = three_runs.sides.step_combo
    combo.activated.emit(combo.findData(800))
    qtbot.waitUntil(lambda: three_runs.sides.comparison.comparison.at == 800, timeout=WAIT_MS)
    three_runs.context.bridge.drain()
    assert len(told) == 1 and "000800.safetensors" in told[0]  # the same once more is no news


def test_a_step_of_the_run_before_is_not_looked_for_in_the_one_that_is_being_read(
    three_runs: RunsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, sides = three_runs.context.place.path / "2026-01-03_a", three_runs.sides
    for folder in ("probes", "validations"):
        shutil.rmtree(run / folder)
    read, going_on = held_reading(three_runs, qtbot, monkeypatch)
    three_runs.table.choose(run)
    qtbot.waitUntil(lambda: bool(read), timeout=WAIT_MS)
    place = sides.step_combo.findData(800)
    sides.step_combo.setCurrentIndex(place)
    sides.step_combo.activated.emit(place)
    going_on.set()
    qtbot.waitUntil(lambda: sides._compared == [run], timeout=WAIT_MS)
    assert sides.step_combo.currentText() == "newest" and sides.comparison.comparison.at == "newest"


def test_each_compared_run_has_its_letter_in_the_colour_of_its_curve(three_runs: RunsView, qtbot: QtBot) -> None:
    table, panel, theme = three_runs.table, three_runs.sides.comparison, three_runs.context.theme

    def shown() -> dict[str, tuple[str, str]]:
        """Of the rows with a square its colour, and what a screen reader says."""
        cells = {row.path.name: table.item(number, 0) for number, row in enumerate(table.rows)}
        for_rows = {name: cell for name, cell in cells.items() if not cell.icon().isNull()}
        return {
            name: (
                cell.icon().pixmap(table.iconSize(), mode=QIcon.Mode.Selected).toImage().pixelColor(1, 1).name(),
                cell.data(Qt.ItemDataRole.AccessibleTextRole),
            )
            for name, cell in for_rows.items()
        }

    def expected() -> dict[str, tuple[str, str]]:
        return {
            row.path.name: (panel.colour(place).name(), f"run {letter} toy_german_english")
            for place, (row, letter) in enumerate(zip(table.all_chosen, "AB", strict=True))
        }

    assert shown() == {}
    choose_both(three_runs, "2026-01-03_a", "2026-01-01_c")
    qtbot.waitUntil(lambda: shown() == expected(), timeout=WAIT_MS)
    assert len({colour for colour, _ in shown().values()}) == 2
    light = shown()
    theme.set_mode("dark" if theme.mode == "light" else "light")
    assert shown() == expected() != light
    shutil.rmtree(next(row.path for row in table.rows if row.path.name == "2026-01-02_b"))
    three_runs.refresh()  # all rows are made anew
    qtbot.waitUntil(lambda: len(table.rows) == 3 and shown() == expected(), timeout=WAIT_MS)
    table.choose(table.rows[0].path)
    qtbot.waitUntil(lambda: shown() == {}, timeout=WAIT_MS)


def test_what_is_left_out_of_many_chosen_runs_is_said(three_runs: RunsView, qtbot: QtBot) -> None:
    sides, runs_dir = three_runs.sides, three_runs.context.place.path
    (runs_dir / "holiday pictures").mkdir()
    three_runs.refresh()
    row_of(three_runs, qtbot, lambda row: bool(row.problem))
    assert sides.left_out_label.text() == ""  # a single one is chosen
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b", "holiday pictures")
    assert sides.left_out_label.isVisible() and sides.left_out_label.text() == "1 of 3 chosen cannot be read"
    for number in range(5):
        shutil.copytree(example_path(), runs_dir / f"2026-02-0{number}_d")
    three_runs.refresh()
    qtbot.waitUntil(lambda: len(three_runs.table.rows) == 10, timeout=WAIT_MS)
    three_runs.table.selectAll()
    assert sides.left_out_label.text() == "the first 8 of 10 chosen; 1 cannot be read"
    qtbot.waitUntil(lambda: sides.comparison.comparison is not None, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: len(sides.comparison.comparison.runs) == 8, timeout=WAIT_MS)
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    assert sides.left_out_label.text() == ""


def test_at_150_per_cent_every_column_and_three_rows_are_seen(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    table, theme, begun = three_runs.table, three_runs.context.theme, 2
    theme.set_zoom(150)
    empty_window.resize(1280, 720)
    for number in range(3):
        three_runs.sides.choose(number)
        qtbot.waitUntil(lambda: table.viewport().height() >= theme.px(3 * 32), timeout=WAIT_MS)
        assert not table.horizontalScrollBar().maximum()
    needed = table.fontMetrics().horizontalAdvance(text(three_runs, 0)[begun])
    assert needed + 2 * GRID <= table.columnWidth(begun)
    assert three_runs.details.name_edit.cursorPosition() == 0


def test_the_table_takes_the_rows_it_has_and_no_more_than_half(three_runs: RunsView, qtbot: QtBot) -> None:
    table, sides, runs_dir = three_runs.table, three_runs.sides, three_runs.context.place.path

    def whole() -> int:
        return three_runs.share.height() - three_runs.share.handleWidth()

    qtbot.waitUntil(lambda: table.height() == table.needed_height, timeout=WAIT_MS)
    assert not table.verticalScrollBar().isVisible() and sides.height() == whole() - table.height() > 0.6 * whole()
    for number in range(30):
        (runs_dir / f"no run {number}").mkdir()
    three_runs.refresh()
    qtbot.waitUntil(lambda: len(table.rows) == 34 and table.height() == whole() // 2, timeout=WAIT_MS)
    qtbot.keyClicks(three_runs.search_edit, "no run 29")
    qtbot.waitUntil(lambda: table.height() == table.needed_height < 0.5 * whole(), timeout=WAIT_MS)
    three_runs.share.moveSplitter(200, 1)
    three_runs.search_edit.clear()
    assert len(table.rows) == 34 and table.height() == 200  # as somebody wants it


def test_a_table_that_scrolls_sideways_shows_all_of_its_rows(three_runs: RunsView, qtbot: QtBot) -> None:
    table = three_runs.table
    three_runs.window().resize(three_runs.window().minimumSize())
    qtbot.waitUntil(lambda: table.horizontalScrollBar().isVisible(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: table.viewport().height() >= table.verticalHeader().length(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not table.verticalScrollBar().isVisible(), timeout=WAIT_MS)


def test_a_refresh_keeps_what_is_chosen(three_runs: RunsView, qtbot: QtBot) -> None:
    choose_both(three_runs, "2026-01-03_a", "2026-01-01_c")
    shutil.rmtree(next(row.path for row in three_runs.table.rows if row.path.name == "2026-01-02_b"))
    three_runs.refresh()
    qtbot.waitUntil(lambda: "2026-01-02_b" not in names(three_runs), timeout=WAIT_MS)
    assert sorted(row.path.name for row in three_runs.table.all_chosen) == ["2026-01-01_c", "2026-01-03_a"]
    assert len(three_runs.sides._rows) == 2


def test_a_run_is_named_and_noted_without_its_folder_being_touched(three_runs: RunsView, qtbot: QtBot) -> None:
    view, run = three_runs, three_runs.context.place.path / "2026-01-02_b"
    qtbot.keyClick(view.table, Qt.Key.Key_F2)
    assert view.details.name_edit.hasFocus() and view.details.name_edit.hasSelectedText()
    qtbot.keyClicks(view.details.name_edit, "Smaller <unk>")
    qtbot.keyClick(view.details.name_edit, Qt.Key.Key_Return)
    assert view.table.hasFocus()
    row_of(view, qtbot, lambda row: row.name == "Smaller <unk>" and row.path == run)
    view.details.note_edit.setFocus()
    qtbot.keyClicks(view.details.note_edit, "half the width")
    view.refresh()  # as the clock does while somebody types
    qtbot.waitUntil(lambda: not view._is_reading, timeout=WAIT_MS)
    assert view.details.note_edit.toPlainText() == "half the width"
    qtbot.keyClick(view.details.note_edit, Qt.Key.Key_Tab)
    number = row_of(view, qtbot, lambda row: row.note == "half the width")
    assert text(view, number)[0] == "Smaller <unk>" and text(view, number)[8] == "half the width"
    assert RunFolder.open(run).label() == RunLabel(name="Smaller <unk>", note="half the width")
    qtbot.keyClicks(view.search_edit, "WIDTH")
    assert names(view) == ["2026-01-02_b"]


def test_a_refresh_leaves_cursor_and_selection_where_somebody_is_about_to_type(
    three_runs: RunsView, qtbot: QtBot
) -> None:
    view, details = three_runs, three_runs.details
    details.note_edit.setFocus()
    qtbot.keyClicks(details.note_edit, "half the width")
    qtbot.keyClick(details.note_edit, Qt.Key.Key_Tab)
    row_of(view, qtbot, lambda row: row.note == "half the width")
    cursor = details.note_edit.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.insertText(" ")  # and a word in a moment
    details.note_edit.setTextCursor(cursor)
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_F2)
    view.refresh()  # as the clock does while a run learns
    qtbot.waitUntil(lambda: not view._is_reading, timeout=WAIT_MS)
    assert details.name_edit.selectedText() == details.name_edit.text() != ""
    assert details.note_edit.textCursor().position() == len("half the width ")


def test_a_name_that_cannot_be_written_offers_nothing_for_the_run_at_hand(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = three_runs.table.chosen
    assert chosen is not None

    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("core.run_folder.write_whole", refuse)  # as a disk that may only be read
    three_runs._label(chosen.path, RunLabel(name="mine"))
    qtbot.waitUntil(lambda: empty_window.strip.trouble is not None, timeout=WAIT_MS)
    assert f"{chosen.path / 'label.json'} cannot be written" in empty_window.strip.sentence.text()
    assert not empty_window.strip.offer_button.isVisible()


def test_a_note_alone_gives_no_name_and_a_name_of_two_lines_becomes_one(three_runs: RunsView, qtbot: QtBot) -> None:
    view, run = three_runs, RunFolder.open(three_runs.context.place.path / "2026-01-02_b")
    for note in ("half the width", "and more"):
        view.details.note_edit.setFocus()
        qtbot.keyClicks(view.details.note_edit, note)
        qtbot.keyClick(view.details.note_edit, Qt.Key.Key_Tab)
        row_of(view, qtbot, lambda row, note=note: note in row.note)
        assert run.label().name == ""
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_F2)
    QGuiApplication.clipboard().setText("first\nsecond\tcell")
    view.details.name_edit.paste()
    qtbot.keyClick(view.details.name_edit, Qt.Key.Key_Return)
    row_of(view, qtbot, lambda row: row.name == "first second cell" and not row.problem)


def test_a_shared_file_is_named_as_the_run_is_called_and_its_size_is_said(
    three_runs: RunsView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, proposed = three_runs, list[str]()

    def propose(_over: QWidget, _title: str, start: str, _kinds: str) -> tuple[str, str]:
        proposed.append(Path(start).name)
        return str(tmp_path / "given.headlight"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", propose)
    view.details.share_button.click()
    qtbot.waitUntil(lambda: "Shared as" in view.details.about_label.text(), timeout=WAIT_MS)
    megabytes = math.ceil((tmp_path / "given.headlight").stat().st_size / 1e6)
    assert f"given.headlight, {megabytes} MB" in view.details.about_label.text()
    (tmp_path / "given.headlight").unlink()
    qtbot.keyClick(view.table, Qt.Key.Key_F2)
    qtbot.keyClicks(view.details.name_edit, "Half/width: <unk>")
    qtbot.keyClick(view.details.name_edit, Qt.Key.Key_Return)
    row_of(view, qtbot, lambda row: row.given_name == "Half/width: <unk>")
    view.details.share_button.click()
    qtbot.waitUntil((tmp_path / "given.headlight").exists, timeout=WAIT_MS)
    assert proposed == ["2026-01-02_b.headlight", "Half_width_unk.headlight"]


def test_esc_gives_up_what_was_typed_and_the_example_keeps_its_name(three_runs: RunsView, qtbot: QtBot) -> None:
    details = three_runs.details
    qtbot.keyClick(three_runs.table, Qt.Key.Key_F2)
    before = details.name_edit.text()
    qtbot.keyClicks(details.name_edit, "x")
    qtbot.keyClick(details.name_edit, Qt.Key.Key_Escape)
    assert details.name_edit.text() == before and three_runs.table.hasFocus()
    assert not (three_runs.context.place.path / "2026-01-02_b" / "label.json").exists()
    three_runs.table.choose(example_path())
    assert not details.name_edit.isEnabled() and "keeps its name" in details.name_edit.toolTip()
    assert "keeps its name and note" in details.note_edit.placeholderText()  # seen in place of a note


def test_a_run_continues_from_a_kept_step_in_a_new_one(window: MainWindow, qtbot: QtBot, wait_for_state: Wait) -> None:
    run = learn_to_the_end(window, qtbot)
    view = show(window, qtbot)
    view.table.setCurrentCell(row_of(view, qtbot, lambda row: row.path == run and 3 in row.snapshot_steps), 0)
    details = view.details
    details.step_combo.setCurrentIndex(details.step_combo.findData(3))
    assert details.step_combo.currentText() == "step 3, weights only"
    qtbot.mouseClick(details.branch_button, Qt.MouseButton.LeftButton)
    assert window.pages.currentWidget() is window.train_view
    wait_for_state("paused")
    qtbot.waitUntil(window.setup_drawer.isVisible, timeout=WAIT_MS)
    assert "begin afresh" in window.strip.sentence.text()
    assert window.strip.property("role") == "note" and window.strip.sentence.property("role") == ""  # no alarm
    assert window.context.playhead.live_step == 3 and window.context.workbench.run != run
    show(window, qtbot)
    number = row_of(view, qtbot, lambda row: row.parent == run.name)
    view.table.setCurrentCell(number, 0)
    assert f"Continues {run.name} from step 3" in details.about_label.text()
    window.context.workbench.open_run(run)
    qtbot.waitUntil(lambda: window.context.workbench.run == run, timeout=WAIT_MS)
    qtbot.waitUntil(window.strip.isHidden, timeout=WAIT_MS)  # what was said of the other run went with it


def test_the_one_thing_changed_goes_with_the_weights_and_no_empty_run_is_left(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait, tmp_path: Path, trash: Path
) -> None:
    run = learn_to_the_end(window, qtbot)
    view, workbench, drawer = show(window, qtbot), window.context.workbench, window.setup_drawer
    view.table.setCurrentCell(row_of(view, qtbot, lambda row: row.path == run and 3 in row.snapshot_steps), 0)
    view.details.step_combo.setCurrentIndex(view.details.step_combo.findData(3))
    qtbot.mouseClick(view.details.branch_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: drawer.isVisible() and workbench.run not in (None, run), timeout=WAIT_MS)
    wait_for_state("paused")
    branch = workbench.run
    assert branch is not None
    RunFolder.open(branch).write_label(RunLabel(name="much dropout"))
    workbench.edit("training.optimizer.learning_rate", 0.0007)  # acts in the branch, which has not gone on
    qtbot.waitUntil(lambda: workbench.applied.training.optimizer.learning_rate == 0.0007, timeout=WAIT_MS)
    drawer.forms["model"].edited.emit("model.dropout", 0.5)
    assert drawer.restart_button.text() == "Continue from 3 with 1 change"
    assert not window.transport.branch_button.isVisible() and "model.dropout" in drawer.restart_button.toolTip()
    qtbot.mouseClick(drawer.restart_button, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(window.transport.learn_button, Qt.MouseButton.LeftButton)  # twice: once it is asked already
    qtbot.waitUntil(lambda: workbench.run not in (None, run, branch), timeout=WAIT_MS)
    wait_for_state("finished")
    qtbot.waitUntil(lambda: sorted(list_runs(tmp_path / "runs")) == sorted([run, workbench.run]), timeout=WAIT_MS)
    assert [path.name for path in trash.iterdir()] == [branch.name]
    changed = RunFolder.open(workbench.run)
    assert changed.config().model.dropout == 0.5 and changed.label().name == "much dropout"
    assert changed.latest_config().training.optimizer.learning_rate == 0.0007
    assert (changed.state.parent, changed.state.parent_step) == (run.name, 3)
    beginning = changed.checkpoint(3).model
    for name, array in RunFolder.open(run).read_snapshot(3).items():
        np.testing.assert_array_equal(beginning[name], array)
    assert changed.last_trained_step() == 6 and window.strip.trouble is None
    ticks, plot = window.train_view.curves.ticks, window.train_view.curves.loss
    for change in ("model.dropout set to 0.5", "training.optimizer.learning_rate set to 0.0007"):
        qtbot.waitUntil(lambda change=change: f"step 3: {change}" in ticks.accessibleDescription(), timeout=WAIT_MS)
    assert "dropout 0.5" in [line.label.toPlainText() for line in plot._changes]


def test_a_branch_takes_along_only_what_its_weights_fit(window: MainWindow, qtbot: QtBot, wait_for_state: Wait) -> None:
    run, workbench = learn_to_the_end(window, qtbot), window.context.workbench
    workbench.branch(run, 3)
    qtbot.waitUntil(lambda: workbench.run not in (None, run), timeout=WAIT_MS)
    wait_for_state("paused")
    branch, button = workbench.run, window.setup_drawer.restart_button
    workbench.edit("model.dropout", 0.5)
    for key, other, learnt_with in (("num_heads", 4, 2), ("activation", "gelu", "relu"), ("d_ff", 24, 16)):
        workbench.edit(f"model.{key}", other)
        assert button.text() == "Restart with 2 changes"
        workbench.edit(f"model.{key}", learnt_with)
        assert button.text() == "Continue from 3 with 1 change"
    workbench.edit("model.d_ff", 24)
    workbench.learn(1)
    qtbot.waitUntil(lambda: window.context.playhead.live_step == 4, timeout=WAIT_MS)
    wait_for_state("paused")
    assert workbench.run == branch
    workbench.edit("model.d_ff", 16)
    assert button.text() == "Restart with 1 change"  # it has a step of its own to lose now


def test_runs_of_other_seeds_alone_are_one_band(window: MainWindow, qtbot: QtBot, wait_for_state: Wait) -> None:
    seeds = [learn_to_the_end(window, qtbot)]
    reset = window.transport.reset_button
    qtbot.mouseClick(reset, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier)
    wait_for_state("ready")
    seeds.append(learn_to_the_end(window, qtbot))
    view, panel = show(window, qtbot), window.runs_view.sides.comparison
    row_of(view, qtbot, lambda row: row.path == seeds[1] and row.state == "finished")
    choose_both(view, example_path().name, *(run.name for run in seeds))
    qtbot.waitUntil(lambda: not panel.is_empty and not panel.is_dirty, timeout=WAIT_MS)
    (group,) = panel.comparison.groups
    assert panel.comparison.alone == [2] and group.name == "copy_task, seeds 0, 1"
    losses = np.stack([smoothed(RunFolder.open(run).metrics()[1]["train/loss"]) for run in seeds])
    assert (losses[0] != losses[1]).all()
    np.testing.assert_allclose(group.training.mean, losses.mean(axis=0))
    np.testing.assert_array_equal(group.training.lowest, losses.min(axis=0))
    np.testing.assert_array_equal(group.training.highest, losses.max(axis=0))
    assert len([one for one in panel.plot.plotItem.items if isinstance(one, pg.FillBetweenItem)]) == 2
    assert "lowest to highest" in panel.title_label.text()
    assert (group.name, "valid/loss, mean") in {line[:2] for line in panel.numbers()}
    heads = [panel.table.horizontalHeaderItem(column).text() for column in range(panel.table.columnCount())]
    assert heads[-2:] == ["mean of 2", "standard deviation"]


def test_of_runs_of_other_seeds_each_is_drawn_to_its_own_end(three_runs: RunsView, qtbot: QtBot) -> None:
    sister = RunFolder.open(three_runs.context.place.path / "2026-01-02_b")
    sister.write_config(change_setting(sister.config(), "seed", 7))
    cut_back(sister, 100)
    three_runs.refresh()
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    panel = three_runs.sides.comparison
    qtbot.waitUntil(lambda: panel.comparison is not None and bool(panel.comparison.groups), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not panel.is_dirty, timeout=WAIT_MS)
    longer = next(run for run in panel.comparison.runs if run.training[0][-1] == 800)
    assert panel.comparison.groups[0].training.steps[-1] == 100
    drawn = [item.getOriginalDataset() for item in panel.plot.plotItem.listDataItems()]
    rest = next(values for steps, values in drawn if steps is not None and [steps[0], steps[-1]] == [100, 800])
    np.testing.assert_array_equal(rest, longer.training[1][99:])
    assert [400, 800] in [steps.tolist() for steps, _ in drawn if steps is not None]  # validated by itself
    names = {item.toPlainText(): item.pos().x() for item in panel.plot.plotItem.items if isinstance(item, pg.TextItem)}
    assert names == {"AB": 100, longer.letter: 800}


def test_a_head_of_each_run_is_shown_for_the_same_sentence(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    panel, selection = three_runs.sides.attention, empty_window.context.selection
    three_runs.sides.choose(1)
    qtbot.waitUntil(lambda: not panel.is_empty and not panel.is_dirty, timeout=WAIT_MS)
    probe = RunFolder.open(example_path()).probe(800)
    assert [panel.sentence_combo.itemText(place) for place in range(panel.sentence_combo.count())] == [
        sentence.source for sentence in probe.sentences
    ]
    panel.sentence_combo.setCurrentIndex(1)
    panel.sentence_combo.activated.emit(1)
    selection.choose(kind="cross", layer=0, head=2)
    qtbot.waitUntil(lambda: not panel.is_dirty, timeout=WAIT_MS)
    feed = probe.sentences[1].by_reference
    assert feed is not None and [column.isVisible() for column in panel.columns] == [True, True, False, False]
    for column in panel.columns[:2]:
        np.testing.assert_array_equal(column.canvas.picture.weights, feed.cross[0, 2])
        assert column.output_label.text() and "step 800" in column.title_label.text()
    assert len(panel.numbers()) == 1 + 2 * feed.cross[0, 2].size


@pytest.fixture
def two_depths(window: MainWindow, qtbot: QtBot, wait_for_state: Wait) -> RunsView:
    """The attention side by side of a run of one decoder layer, the first, and one of two."""
    workbench, runs = window.context.workbench, []
    for num_layers in (2, 1):
        workbench.edit("model.num_decoder_layers", num_layers)
        workbench.prepare()
        wait_for_state("ready")
        runs.append(learn_to_the_end(window, qtbot))
    view = show(window, qtbot)
    row_of(view, qtbot, lambda row: row.path == runs[1] and row.state == "finished")
    choose_both(view, *(run.name for run in runs))
    view.sides.choose(1)
    wait_until_drawn(view, qtbot)
    return view


def wait_until_drawn(view: RunsView, qtbot: QtBot) -> None:
    panels = view.sides.attention, view.sides.head_chooser
    qtbot.waitUntil(lambda: not any(one.is_empty or one.is_dirty for one in panels), timeout=WAIT_MS)


def heads_named(view: RunsView) -> list[str]:
    """By the two columns, that of the run with one layer first."""
    return sorted(column.head_label.text() for column in view.sides.attention.columns[:2])


def test_each_map_names_its_own_head_where_runs_differ_in_depth(two_depths: RunsView, qtbot: QtBot) -> None:
    view, panel, selection = two_depths, two_depths.sides.attention, two_depths.context.selection
    chooser = view.sides.head_chooser
    assert (chooser.layer_spin.text(), chooser.head_spin.text()) == ("2 of 2", "1 of 2")
    assert heads_named(view) == ["layer 1 of 1, head 1 of 2", "layer 2 of 2, head 1 of 2"]
    assert all(column.head_label.isVisible() for column in panel.columns[:2])
    selection.choose(pooled="mean")  # as in the Attention view
    wait_until_drawn(view, qtbot)
    assert heads_named(view) == ["layer 1 of 1, mean of heads", "layer 2 of 2, mean of heads"]
    assert chooser.head_spin.text() == "mean of 2"
    columns, *lines = panel.numbers()
    assert columns[1:5] == ("step", "kind", "layer", "head")
    assert {line[1:5] for line in lines} == {(6, "cross", layer, "mean of heads") for layer in (1, 2)}
    selection.choose(head=1, layer=0)
    wait_until_drawn(view, qtbot)
    assert heads_named(view) == ["layer 1 of 1, head 2 of 2", "layer 1 of 2, head 2 of 2"]
    assert {line[3:5] for line in panel.numbers()[1:]} == {(1, 2)}
    selection.choose(head=0, layer=1)
    wait_until_drawn(view, qtbot)
    choose_by_the_keys_that_its_tooltips_name(view, qtbot)


def choose_by_the_keys_that_its_tooltips_name(view: RunsView, qtbot: QtBot) -> None:
    selection = view.context.selection

    def press(key: Qt.Key) -> None:
        qtbot.keyClick(view.table, key, Qt.KeyboardModifier.AltModifier)
        wait_until_drawn(view, qtbot)

    press(Qt.Key.Key_Up)
    press(Qt.Key.Key_Right)
    assert heads_named(view) == ["layer 1 of 1, head 2 of 2", "layer 1 of 2, head 2 of 2"]
    press(Qt.Key.Key_K)
    assert selection.chosen.kind == "encoder_self"
    press(Qt.Key.Key_L)
    assert not selection.chosen.as_lines and not view.sides.head_chooser.lines_box.isVisible()  # maps alone are drawn


def test_what_runs_write_for_the_same_sentences_stands_side_by_side(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    folder = RunFolder.open(empty_window.context.place.path / "2026-01-03_a")
    (step, *_) = reversed(folder.validation_steps())
    first, *others = folder.validated_sentences(step)
    path = folder.path / "validations" / f"{step:06d}.jsonl"
    path.write_bytes(validation_bytes([*others, replace(first, hypothesis="quite another")]))
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    panel = three_runs.sides.translations
    three_runs.sides.choose(2)
    qtbot.waitUntil(lambda: not panel.is_empty and not panel.is_dirty, timeout=WAIT_MS)
    heads, line, *rest = panel.numbers()
    assert len(rest) == len(others) and panel.table.rowCount() == 1 + len(others)
    assert line[:2] == (first.source, first.reference) and sorted(line[2:]) == sorted(
        ["quite another", first.hypothesis]
    )
    assert heads[0] == "source" and f"they differ in 1 of {1 + len(others)}" in panel.title_label.text()
    right = panel.table.item(1, 2)
    assert right is not None and right.text() == f"✓ {rest[0][1]}"
    wrong = panel.table.item(0, line.index("quite another"))
    assert wrong is not None and wrong.text() == "✗ quite another"
    assert "wrong, quite another" in wrong.data(Qt.ItemDataRole.AccessibleTextRole)
    source = panel.table.item(0, 0)
    assert source is not None and source.text() == first.source


def test_rows_of_the_compared_runs_are_as_high_as_their_lines_at_any_zoom(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    sides = three_runs.sides
    pages = ((0, sides.comparison, 1), (2, sides.translations, 2))
    for zoom, (page, panel, num_lines) in itertools.product((100, 150, 200), pages):
        empty_window.context.theme.set_zoom(zoom)
        sides.choose(page)
        qtbot.waitUntil(lambda panel=panel: not panel.is_empty and not panel.is_dirty, timeout=WAIT_MS)
        room = panel.table.rowHeight(0) - num_lines * panel.table.fontMetrics().lineSpacing()
        assert room >= empty_window.context.theme.px(8), f"half of it above, half of it below: {panel.title}, {zoom} %"


def test_attention_and_translations_follow_one_choice_of_step(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    shorter = empty_window.context.place.path / "2026-01-03_a"
    folder, sides = RunFolder.open(shorter), three_runs.sides
    probed, validated = folder.probe_steps(), folder.validation_steps()
    for kind, ending in (("probes", ".safetensors"), ("validations", ".jsonl")):
        (shorter / kind / f"000800{ending}").unlink()
    assert probed[-1] == validated[-1] == 800
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    combo, attention, translations = sides.step_combo, sides.attention, sides.translations
    assert not combo.isVisible()  # curves have all steps

    def drawn(number: int, panel: Panel, at: object) -> None:
        sides.choose(number)
        qtbot.waitUntil(lambda: sides.comparison.comparison is not None, timeout=WAIT_MS)
        qtbot.waitUntil(lambda: sides.comparison.comparison.at == at and not panel.is_dirty, timeout=WAIT_MS)

    drawn(2, translations, "newest")
    assert combo.isVisible() and combo.currentText() == "each run's newest"
    assert {head.split(" · ")[-1] for head in translations.numbers()[0][2:]} == {f"step {validated[-2]:,}", "step 800"}
    choose(combo, "newest in common")
    drawn(1, attention, "common")
    assert [one.title_label.text().split(" · ")[-1] for one in attention.columns[:2]] == [f"step {probed[-2]:,}"] * 2
    assert f"at step {probed[-2]:,}" in attention.title_label.text()
    drawn(2, translations, "common")
    assert [head.split(" · ")[-1] for head in translations.numbers()[0][2:]] == [f"step {validated[-2]:,}"] * 2
    choose(combo, "800")
    drawn(1, attention, 800)
    said = {one.title_label.text().split(" · ")[0]: one.output_label.text() for one in attention.columns[:2]}
    said = {title.split(", ")[1]: output for title, output in said.items()}
    assert said["2026-01-03_a"].startswith("This run has no probe at that step") and "writes" in said["2026-01-02_b"]
    assert {line[0].split(", ")[1] for line in attention.numbers()[1:]} == {"2026-01-02_b"}
    drawn(2, translations, 800)
    heads, *lines = translations.numbers()
    (missing,) = (place for place, head in enumerate(heads) if head.endswith("not validated there"))
    assert {line[missing] for line in lines} == {"–"} and "differ in 0 of" in translations.title_label.text()
    choose_both(three_runs, "2026-01-02_b", "2026-01-01_c")
    drawn(1, attention, "newest")  # of other runs


def choose(combo: QComboBox, text: str) -> None:
    combo.setCurrentText(text)
    combo.activated.emit(combo.currentIndex())


def test_runs_of_other_data_say_why_no_head_can_be_chosen(window: MainWindow, qtbot: QtBot) -> None:
    run = learn_to_the_end(window, qtbot)
    view = show(window, qtbot)
    row_of(view, qtbot, lambda row: row.path == run and row.state == "finished")
    view.sides.choose(1)
    choose_both(view, example_path().name, run.name)
    chooser, attention = view.sides.head_chooser, view.sides.attention
    qtbot.waitUntil(lambda: "no sentence in common" in attention.empty_label.text(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: chooser.empty_label.text() == attention.empty_label.text(), timeout=WAIT_MS)
    view.table.choose(run)
    qtbot.waitUntil(lambda: not chooser.is_empty, timeout=WAIT_MS)  # its own head


def test_runs_that_share_no_step_or_have_none_say_so(three_runs: RunsView, qtbot: QtBot) -> None:
    place, sides = three_runs.context.place.path, three_runs.sides

    def forget(run: str) -> None:
        for kind in ("probes", "validations"):
            shutil.rmtree(place / run / kind)

    def said(number: int, panel: Panel, words: str) -> None:
        sides.choose(number)
        qtbot.waitUntil(lambda: words in panel.empty_label.text(), timeout=WAIT_MS)
        assert panel.is_empty

    forget("2026-01-03_a")
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    sides.choose(1)
    qtbot.waitUntil(lambda: not sides.attention.is_empty, timeout=WAIT_MS)  # of the run that has some
    choose(sides.step_combo, "newest in common")
    said(1, sides.attention, "in common")
    said(2, sides.translations, "in common")
    forget("2026-01-01_c")
    choose_both(three_runs, "2026-01-03_a", "2026-01-01_c")
    said(1, sides.attention, "None of these runs was probed yet")
    said(2, sides.translations, "None of these runs was validated yet")
    three_runs.table.choose(place / "2026-01-03_a")
    said(1, sides.attention, "This run was not probed yet")
    said(2, sides.translations, "This run was not validated yet")


def test_a_damaged_probe_or_validation_is_named_and_missing_alone(
    three_runs: RunsView, empty_window: MainWindow, qtbot: QtBot
) -> None:
    sides, strip, damaged = three_runs.sides, empty_window.strip, three_runs.context.place.path / "2026-01-01_c"
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    qtbot.waitUntil(lambda: not sides.comparison.is_empty, timeout=WAIT_MS)
    shown = sides.comparison.comparison
    for path in ("probes/000800.safetensors", "validations/000800.jsonl"):
        (damaged / path).write_bytes(b"none")
    told: list[str] = []
    empty_window.context.bridge.trouble.connect(lambda trouble: told.append(trouble.sentence))
    three_runs.table.choose_all([damaged])
    qtbot.waitUntil(lambda: len(told) == 2, timeout=WAIT_MS)
    assert strip.isVisible() and "000800.safetensors" in told[0] and "000800.jsonl" in told[1]
    comparison = sides.comparison.comparison
    assert comparison is not shown and {run.name.split(", ")[1]: run.probe is None for run in comparison.runs} == {
        "2026-01-03_a": False,
        "2026-01-02_b": False,
        "2026-01-01_c": True,
    }
    sides.choose(2)
    qtbot.waitUntil(lambda: not sides.translations.is_empty, timeout=WAIT_MS)
    assert sum("not validated there" in head for head in sides.translations.numbers()[0]) == 1


@pytest.mark.parametrize("file", ["metrics.jsonl", "probes/000800.safetensors"])
def test_f5_reads_what_was_mended(three_runs: RunsView, qtbot: QtBot, file: str) -> None:
    sides, run, told = three_runs.sides, three_runs.context.place.path / "2026-01-01_c", list[str]()
    whole = (run / file).read_bytes()
    (run / file).write_bytes(b"none\n" * 5000)
    three_runs.context.bridge.trouble.connect(lambda trouble: told.append(trouble.sentence))
    three_runs.table.choose(run)
    qtbot.waitUntil(lambda: bool(told), timeout=WAIT_MS)
    (run / file).write_bytes(whole)
    qtbot.keyClick(three_runs.table, Qt.Key.Key_F5)

    def is_shown() -> bool:
        comparison = sides.comparison.comparison
        return comparison is not None and comparison.runs[0].probe is not None

    qtbot.waitUntil(is_shown, timeout=WAIT_MS)
    assert sides.comparison.comparison is not None and not sides.comparison.comparison.damaged
    assert len(told) == 1


def test_runs_that_cannot_be_read_leave_nothing_of_others_on_show(three_runs: RunsView, qtbot: QtBot) -> None:
    sides, place = three_runs.sides, three_runs.context.place.path
    choose_both(three_runs, "2026-01-03_a", "2026-01-02_b")
    qtbot.waitUntil(lambda: not sides.comparison.is_empty, timeout=WAIT_MS)
    damaged = place / "2026-01-01_c"
    (damaged / "metrics.jsonl").write_bytes(b"none\n" * 5000)
    told: list[str] = []
    three_runs.context.bridge.trouble.connect(lambda trouble: told.append(trouble.sentence))
    three_runs.table.choose_all([damaged])
    qtbot.waitUntil(lambda: bool(told), timeout=WAIT_MS)
    assert "metrics.jsonl" in told[0]
    assert sides.comparison.comparison is None
    qtbot.waitUntil(lambda: sides.comparison.is_empty, timeout=WAIT_MS)
