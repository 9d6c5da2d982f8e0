"""A run of another process is followed from its row."""

from __future__ import annotations

import math
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.engine import Engine
from core.run_folder import RunFolder, list_runs
from gui.main_window import VIEWS, MainWindow
from gui.runs.rows import example_path
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.views.runs.steps import Wait, row_of, show, text
from tests.gui.waiting import wait_for

ROOT = Path(__file__).parents[4]


TINY = (
    *("dataset.options.num_symbols=4", "dataset.options.min_length=3", "dataset.options.max_length=3"),
    *("model.d_model=16", "model.num_heads=2", "model.num_encoder_layers=1", "model.num_decoder_layers=1"),
    *("model.d_ff=16", "training.batch_size=4", "training.num_threads=1", "training.max_steps=100000"),
    *("training.probe_every=20", "training.checkpoint_every=50", "training.validate_every=100000"),
)

SLOW_TRAINING = """
import sys, time
from core.machine.torch_import import stub_out_tracing
stub_out_tracing()
from core.cli import main
from core.training.trainer import Trainer
take_step = Trainer._take_step
def take_step_slowly(trainer):
    time.sleep(0.02)  # the window needs the processor too
    take_step(trainer)
Trainer._take_step = take_step_slowly
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that trains without end in the window's folder of runs."""
    settings = [word for setting in TINY for word in ("--set", setting)]
    arguments = ["train", "copy_task", *settings, "--runs-dir", str(tmp_path / "runs")]
    command = [sys.executable, "-c", SLOW_TRAINING, *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield process
    process.terminate()
    process.wait(100)


def test_a_run_of_another_process_is_followed_live(
    window: MainWindow, qtbot: QtBot, writing: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    context, view = window.context, show(window, qtbot)
    qtbot.waitUntil(lambda: bool(list_runs(tmp_path / "runs")), timeout=WAIT_MS)
    view.run_list.refresh()
    number = row_of(view, qtbot, lambda row: row.writer == f"process {writing.pid}" and bool(row.checkpoint_steps))
    assert text(view, number)[3] == f"learning by process {writing.pid}"
    step = view.table.rows[number].step
    qtbot.waitUntil(lambda: view.table.rows[number].step > step, timeout=WAIT_MS)  # the table is updated live as well
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
    wait_for(
        qtbot, lambda: row.source_label.text() == not_none(context.bridge.shown.probes.at(step)).sentences[0].source
    )
    writing.terminate()
    writing.wait(100)
    ended = "is no longer being written"
    qtbot.waitUntil(lambda: ended in window.transport.state_label.text(), timeout=WAIT_MS)
    assert context.playhead.live_step == RunFolder.open(list_runs(tmp_path / "runs")[0]).last_trained_step()
    assert context.bridge.history.last_step == 0  # the window's own run is unchanged
    show(window, qtbot)
    assert view.follow_button.text() == "Stop following"
    qtbot.waitUntil(lambda: "stop following it first" in view.delete_button.toolTip(), timeout=WAIT_MS)
    qtbot.mouseClick(view.follow_button, Qt.MouseButton.LeftButton)
    assert context.playhead.live_step == 0 and window.transport.learn_button.isEnabled()


def test_a_run_stays_followed_while_the_first_data_are_prepared(
    empty_window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, context, view = empty_window, empty_window.context, empty_window.runs_view
    may_prepare, take_turn = threading.Event(), Engine._run_once

    def take_turn_later(engine: Engine, loop: Any) -> None:
        may_prepare.wait()
        take_turn(engine, loop)

    monkeypatch.setattr(Engine, "_run_once", take_turn_later)
    run = shutil.copytree(example_path(), tmp_path / "runs" / "run")
    RunFolder.open(run).update(state="learning", pid=os.getppid(), host=socket.gethostname(), pid_started=None)
    try:
        window.start()
        window.show_view(VIEWS.index(type(view)))
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


def test_a_run_that_cannot_be_followed_now_is_not_opened_instead(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """Opening it would replace the window's own run, which is learning."""
    context, view = window.context, window.runs_view
    run = shutil.copytree(example_path(), tmp_path / "runs" / "run")
    RunFolder.open(run).update(state="learning", pid=os.getppid(), host=socket.gethostname(), pid_started=None)
    context.workbench.edit("training.max_steps", 1_000_000)
    context.workbench.learn()
    qtbot.waitUntil(lambda: context.bridge.state == "learning", timeout=WAIT_MS)
    show(window, qtbot)
    view.table.setCurrentCell(row_of(view, qtbot, lambda row: row.path == run), 0)
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    qtbot.waitUntil(window.trouble_strip.isVisible, timeout=WAIT_MS)
    assert window.trouble_strip.sentence.text() == "Your own run is learning: pause it first."
    assert context.bridge.state == "learning" and context.workbench.run != run and context.follower.run is None


def test_a_run_is_not_followed_if_the_own_run_begins_while_it_is_read(
    window: MainWindow, qtbot: QtBot, wait_for_state: Wait
) -> None:
    context, may_read = window.context, threading.Event()
    context.bridge.run_in_background(may_read.wait)  # simulates a slow disk
    context.follower.follow(example_path())
    window.transport.learn_button.click()
    may_read.set()
    completed: list[object] = []
    context.bridge.run_in_background(lambda: None, completed.append)
    qtbot.waitUntil(lambda: bool(completed), timeout=WAIT_MS)
    wait_for_state("finished")
    assert context.follower.run is None and context.bridge.shown is context.bridge.history


def assert_all_of_it_is_the_other_run(window: MainWindow, qtbot: QtBot) -> None:
    """Require that levels, plan and figures are those of the followed run, and that the own model is not queried."""
    followed, curves = window.context.bridge.shown, window.train_view.curves
    assert not_none(followed.prepared).config.training.max_steps == 100_000
    qtbot.waitUntil(lambda: curves.loss._levels["guessing"].value() == math.log(8), timeout=WAIT_MS)
    assert curves.learning_rate._planned.getData()[0][-1] == 100_000
    assert "8 → 8 tokens" in window.status_bar.size_label.text()
    for row in (window.train_view.sentence_row, window.attention_view.sentence_row):
        assert not row.add_button.isEnabled() and "Stop following" in row.add_button.toolTip()
    view = window.translate_view
    window.show_view(VIEWS.index(type(view)))
    assert view.follow_label.isVisible() and "weights are in that process" in view.follow_label.text()
    assert view.stop_following_button.isVisible() and not view.translate_button.isVisible()
    assert not view.typed._is_watched
    window.show_view(VIEWS.index(type(window.train_view)))
