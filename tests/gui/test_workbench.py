"""What clicks ask of the engine, and when."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from core.engine import Engine
from core.errors import UserError
from core.events import CheckpointSaved, SettingChanged, StateChanged, Trouble
from core.notices.notice import Experiment
from core.requests import Branch, Learn, LocateData, OpenRun
from core.run_folder import RunFolder, RunLabel, list_runs
from core.settings.presets import read_preset
from gui.bench.acting_edits import ACT_DELAY_MS
from gui.main_window import MainWindow
from gui.runs.rows import example_path
from gui.workbench import PREPARE_DELAY_MS, Workbench

ROOT = Path(__file__).parents[2]
WAIT_MS = 100_000


def test_learn_clicked_twice_begins_one_run(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.transport.pace_slider.setValue(0)
    for _ in range(2):  # before the engine has said that it began
        qtbot.mouseClick(window.transport.learn_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.context.bridge.history.last_step >= 1, timeout=WAIT_MS)
    assert len(list_runs(tmp_path / "runs")) == 1
    assert window.strip.trouble is None


def test_a_run_that_cannot_begin_can_be_begun_later(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    in_the_way = tmp_path / "runs"
    in_the_way.write_text("a file where the folder should be", encoding="utf-8")
    window.transport.learn_button.click()
    qtbot.waitUntil(lambda: window.strip.trouble is not None, timeout=WAIT_MS)
    assert "cannot be written" in window.strip.sentence.text()
    in_the_way.unlink()
    window.transport.learn_button.click()
    qtbot.waitUntil(lambda: window.context.bridge.state == "finished", timeout=WAIT_MS)


def test_another_folder_is_offered_for_no_run_that_is_opened_later(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    (tmp_path / "runs").write_text("a file where the folder should be", encoding="utf-8")
    window.transport.learn_button.click()
    qtbot.waitUntil(lambda: window.strip.trouble is not None, timeout=WAIT_MS)
    assert window.strip.offer_button.text() == "Choose another folder …"
    window.context.workbench.open_run(example_path())
    qtbot.waitUntil(lambda: window.context.workbench.run == example_path(), timeout=WAIT_MS)
    assert window.strip.trouble is None


def test_reset_takes_back_a_learn_that_still_waits(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.restart()
    workbench.reset(3)
    qtbot.waitUntil(lambda: workbench.resolved is not None and workbench.resolved.config.seed == 3, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    assert bridge.history.last_step == 0 and not list_runs(tmp_path / "runs")
    workbench.learn(2)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    assert window.strip.trouble is None and workbench.run == list_runs(tmp_path / "runs")[-1]


def test_another_preset_that_is_chosen_before_a_run_has_begun_waits_as_it_does_for_a_run(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench, drawer = window.context.bridge, window.context.workbench, window.setup_drawer
    workbench.restart()
    drawer.choose_preset("copy_task")
    assert running_timers(workbench) == [] and workbench.draft == read_preset("copy_task")
    assert drawer.restart_button.text() == "Restart as copy_task"
    qtbot.waitUntil(lambda: bridge.state == "finished", timeout=WAIT_MS)
    assert workbench.applied is not None and workbench.applied.model.d_model == 16
    assert len(list_runs(tmp_path / "runs")) == 1 and drawer.restart_button.text() == "Restart as copy_task"


def test_restart_takes_back_a_run_that_has_not_begun_and_begins_as_the_preset_says(
    qtbot: QtBot, window: MainWindow
) -> None:
    workbench, drawer = window.context.workbench, window.setup_drawer
    workbench.restart()
    drawer.choose_preset("copy_task")
    drawer.restart_button.click()
    qtbot.waitUntil(lambda: workbench.run is not None, timeout=WAIT_MS)
    assert workbench.run is not None and workbench.draft is not None
    assert RunFolder.open(workbench.run).config().model == workbench.draft.model == read_preset("copy_task").model


def test_after_a_loss_that_is_not_finite_another_run_can_begin(
    qtbot: QtBot, empty_window: MainWindow, small_file: Path
) -> None:
    diverging = "training: {optimizer: {name: sgd, learning_rate: 100.0, momentum: 0.9}, schedule: {name: constant, "
    diverging += "warmup_steps: 0}, max_grad_norm: null, "
    text = small_file.read_text(encoding="utf-8")
    small_file.write_text(text.replace("training: {", diverging), encoding="utf-8")
    window, bridge = empty_window, empty_window.context.bridge
    window.setup_drawer.open_file(small_file)
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    window.transport.learn_button.click()
    qtbot.waitUntil(lambda: bridge.state == "failed", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.strip.trouble is not None, timeout=WAIT_MS)
    assert "diverged" in window.strip.sentence.text()
    assert "Reset" in window.transport.learn_button.toolTip()
    window.transport.reset_button.click()
    window.context.workbench.go_on_slower()  # its button is there until the engine has said that it prepares
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    assert window.transport.learn_button.isEnabled()
    assert window.strip.trouble is None  # what it offered was for the run that was left


def test_a_run_whose_folder_was_removed_can_be_left(qtbot: QtBot, window: MainWindow) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn(3)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    assert workbench.run is not None
    shutil.rmtree(workbench.run)
    window.transport.reset_button.click()
    qtbot.waitUntil(lambda: bridge.state == "ready", timeout=WAIT_MS)
    assert "is gone" in window.strip.sentence.text()
    workbench.learn(3)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)


def test_an_opened_run_whose_folder_was_removed_says_so_as_it_is_to_learn(qtbot: QtBot, window: MainWindow) -> None:
    run = opened_again(qtbot, window)
    shutil.rmtree(run)
    window.context.workbench.learn(1)
    qtbot.waitUntil(lambda: window.strip.trouble is not None, timeout=WAIT_MS)
    assert window.strip.sentence.text() == f"The run's folder {run} is gone."
    assert window.strip.advice.text().startswith("Bring it back")


def test_a_run_that_cannot_be_saved_is_there_after_two_resets_and_can_be_kept_elsewhere(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench = window.context.workbench
    run = unsaveable_run(qtbot, window)
    workbench.reset()
    workbench.reset()
    wait_for_answers(qtbot, window)
    assert workbench.run == run and window.context.bridge.state == "paused"
    workbench.keep_in(tmp_path / "elsewhere", run)
    qtbot.waitUntil(lambda: workbench.run != run, timeout=WAIT_MS)
    assert RunFolder.open(list_runs(tmp_path / "elsewhere")[0]).checkpoint_step("last") == 3


@pytest.mark.parametrize("comes_in_dialog", [False, True])
def test_no_other_run_is_moved_than_the_one_that_could_not_be_written(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, comes_in_dialog: bool
) -> None:
    workbench, elsewhere = window.context.workbench, tmp_path / "elsewhere"
    other = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    run = opened_again(qtbot, window)

    def choose(*_: object) -> str:
        if comes_in_dialog:
            qtbot.waitUntil(lambda: workbench.run == other and not workbench.is_opening, timeout=WAIT_MS)
        return str(elsewhere)

    monkeypatch.setattr(QFileDialog, "getExistingDirectory", choose)
    workbench.open_run(other)
    window.strip.offer_taken.emit("another_folder")
    qtbot.waitUntil(lambda: workbench.run == other and not workbench.is_opening, timeout=WAIT_MS)
    wait_for_answers(qtbot, window)
    assert workbench.run == other and not list_runs(elsewhere) and window.context.place.path == elsewhere
    assert window.strip.sentence.text() == f"{run.name} was not moved: another run was opened meanwhile."


def test_a_restart_that_cannot_save_the_run_says_why_and_nothing_else(qtbot: QtBot, window: MainWindow) -> None:
    workbench = window.context.workbench
    told: list[str] = []
    window.context.bridge.trouble.connect(lambda trouble: told.append(trouble.sentence))
    run = unsaveable_run(qtbot, window)
    workbench.edit("model.d_ff", 24)
    workbench.restart()
    wait_for_answers(qtbot, window)
    assert workbench.run == run and len(told) == 1 and "cannot be written" in told[0]


def test_a_refusal_that_comes_after_what_was_asked_for_since_does_not_end_that(
    qtbot: QtBot, window: MainWindow
) -> None:
    workbench, bridge = window.context.workbench, window.context.bridge
    assert workbench.draft is not None
    dataset = workbench.draft.dataset.model_dump()
    workbench.edit("dataset", {"plugin": "parallel_text"})  # without a file
    workbench.prepare()
    with pytest.raises(UserError, match="Nothing is prepared"):
        bridge.engine.ask(LocateData()).result(timeout=100)  # the data were refused, which the window has not read yet
    workbench.edit("dataset", dataset)
    workbench.restart()
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.history.last_step > 0, timeout=WAIT_MS)


def test_after_a_thousand_more_the_plan_follows_and_reset_begins_as_configured(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    plot = window.train_view.curves.learning_rate

    def planned_until() -> float | None:
        steps, _ = plot._planned.getOriginalDataset()
        return None if steps is None else float(steps[-1])  # None: not drawn yet

    window.transport.learn_button.click()
    qtbot.waitUntil(lambda: bridge.state == "finished", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: planned_until() == 40, timeout=WAIT_MS)
    window.transport.learn_button.click()
    qtbot.waitUntil(lambda: bridge.history.last_step > 40, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: planned_until() == 1040, timeout=WAIT_MS)
    assert window.transport.state_label.text().endswith(" of 1,040") and not workbench.waiting
    window.transport.reset_button.click()
    qtbot.waitUntil(lambda: bridge.state == "ready" and planned_until() == 40, timeout=WAIT_MS)
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    first, second = (RunFolder.open(run).config() for run in list_runs(tmp_path / "runs"))
    assert first == second and second.training.max_steps == 40


def test_what_is_typed_while_another_run_is_opened_acts_on_that_one_never(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench, bridge, given_back = window.context.workbench, window.context.bridge, list[str]()
    other = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    changed = list[SettingChanged]()
    bridge.setting_changed.connect(changed.append)
    workbench.learn(1)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    key = "training.optimizer.learning_rate"
    workbench.edit(key, 0.25)
    workbench.open_run(other)
    assert running_timers(workbench) == []
    experiment = Experiment("a higher rate", key, 0.5)
    workbench.try_out(experiment)
    window.context.follow_sentence("1 2 3", given_back.append)
    assert given_back == ["1 2 3"] and "is being opened" in window.strip.sentence.text()
    qtbot.waitUntil(lambda: workbench.run == other, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: running_timers(workbench) == [], timeout=WAIT_MS)
    assert workbench.draft == workbench.applied and changed == []
    workbench.open_run(tmp_path / "deleted")
    workbench.try_out(experiment)  # that one is refused, and this run stays
    qtbot.waitUntil(lambda: [one.value for one in changed] == [0.5], timeout=WAIT_MS)


def test_a_setting_that_the_run_refuses_is_marked_and_waits(qtbot: QtBot, window: MainWindow) -> None:
    workbench, key = window.context.workbench, "training.best_metric"
    workbench.learn(1)
    qtbot.waitUntil(lambda: window.context.bridge.history.last_step == 1, timeout=WAIT_MS)
    row = window.setup_drawer.forms["training"].rows[key]
    row.edited.emit(key, "valid/typo")
    qtbot.waitUntil(lambda: "given 'valid/typo'" in window.strip.sentence.text(), timeout=WAIT_MS)
    assert workbench.waiting == (key,) and "given 'valid/typo'" in row.error
    row.edited.emit(key, "valid/loss")
    assert not row.error and not workbench.waiting


def test_a_setting_that_could_not_be_written_acts_once_the_run_can_be(qtbot: QtBot, window: MainWindow) -> None:
    workbench, bridge, changed = window.context.workbench, window.context.bridge, list[SettingChanged]()
    bridge.setting_changed.connect(changed.append)
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.history.last_step == 1 and bridge.state == "paused", timeout=WAIT_MS)
    assert workbench.run is not None
    metrics, aside = workbench.run / "metrics.jsonl", workbench.run / "aside"
    metrics.rename(aside)
    metrics.mkdir()  # where the file should be: it cannot be written
    workbench.edit("training.early_stopping", {"patience": 3})
    qtbot.waitUntil(lambda: "cannot be written" in window.strip.sentence.text(), timeout=WAIT_MS)
    assert workbench.applied is not None and workbench.applied.training.early_stopping is None and not changed
    metrics.rmdir()
    aside.rename(metrics)
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.history.last_step == 2, timeout=WAIT_MS)
    assert [one.step for one in changed] == [1] and not workbench.waiting
    assert bridge.history.prepared is not None and bridge.history.prepared.config.training.early_stopping is not None


@pytest.mark.parametrize("is_left", [False, True])
def test_a_setting_that_was_called_off_before_the_run_took_it_acts_with_the_next_learn(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, is_left: bool
) -> None:
    workbench, bridge, changed = window.context.workbench, window.context.bridge, list[SettingChanged]()
    key, is_ending, may_go_on = "training.optimizer.learning_rate", Event(), Event()
    unsaveable_run(qtbot, window)
    before = workbench.applied

    def hold(_: object) -> None:
        """Keep the engine at the end of the run, until all is asked for."""
        is_ending.set()
        may_go_on.wait(30)

    bridge.setting_changed.connect(changed.append)
    bridge.engine.add_listener(hold)
    workbench.finish()
    assert is_ending.wait(30)
    for rate in (0.125, 0.25):
        workbench.try_out(Experiment("a higher rate", key, rate))
    if is_left:
        workbench.reset()  # which is refused: it cannot be saved
    else:
        workbench.open_run(tmp_path / "gone")
    may_go_on.set()
    qtbot.waitUntil(lambda: window.strip.trouble is not None and not workbench.is_opening, timeout=WAIT_MS)
    wait_for_answers(qtbot, window)
    assert workbench.applied == before and not changed and workbench.run is not None
    if is_left:
        assert workbench.waiting == (key,)  # Reset begins with it
        workbench.try_out(Experiment("a higher rate", key, 0.5))
        qtbot.waitUntil(lambda: [one.value for one in changed] == [0.5], timeout=WAIT_MS)
        workbench.reset()  # refused as before
        wait_for_answers(qtbot, window)
        assert workbench.applied is not None and workbench.applied.training.optimizer.learning_rate == 0.5
    else:
        workbench.learn(1)
        qtbot.waitUntil(lambda: [one.value for one in changed] == [0.25], timeout=WAIT_MS)
        assert not workbench.waiting


def test_a_run_that_had_begun_as_a_reset_was_refused_is_at_hand(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn(2)
    bridge.engine.ask(LocateData()).result(timeout=30)  # it has begun, which the window has not read yet
    [run] = list_runs(tmp_path / "runs")
    shutil.rmtree(run / "checkpoints")
    (run / "checkpoints").write_text("a file where the folder should be", encoding="utf-8")
    workbench.reset()
    qtbot.waitUntil(lambda: window.strip.trouble is not None, timeout=WAIT_MS)
    wait_for_answers(qtbot, window)
    assert workbench.run == run
    (run / "checkpoints").unlink()
    (run / "checkpoints").mkdir()
    window.strip.dismiss()
    workbench.learn(2)
    qtbot.waitUntil(lambda: bridge.history.last_step == 2, timeout=WAIT_MS)
    assert list_runs(tmp_path / "runs") == [run]


def test_nothing_that_waits_to_be_prepared_ends_the_opening_of_the_first_run(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench = window.context.workbench
    other = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    assert workbench.run is None
    workbench.edit("model.d_ff", 32)
    workbench.open_run(other)
    workbench.renew()
    workbench.edit("model.d_ff", 64)
    assert running_timers(workbench) == []
    qtbot.waitUntil(lambda: workbench.run == other, timeout=WAIT_MS)


def test_data_that_were_asked_for_before_do_not_end_the_opening_of_a_run(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    other = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    late = bridge.history.prepared
    assert late is not None
    workbench.open_run(other)
    bridge.prepared.emit(late)  # which the window had not read yet
    workbench.edit("model.d_ff", 64)
    assert running_timers(workbench) == []
    qtbot.waitUntil(lambda: workbench.run == other, timeout=WAIT_MS)


@pytest.mark.parametrize("is_to_begin", [True, False])
def test_what_is_refused_late_does_not_end_the_opening_of_a_run(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, is_to_begin: bool
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    other = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "other")
    (tmp_path / "runs").write_text("a file where the folder should be", encoding="utf-8")
    if is_to_begin:
        workbench.learn()
    else:
        workbench.edit("dataset", {"plugin": "parallel_text"})  # without a file
        workbench.prepare()
    with suppress(UserError):
        bridge.engine.ask(LocateData()).result(timeout=100)  # it was refused, which the window has not read yet
    workbench.edit("model.d_ff", 64)
    told = list[Trouble]()
    bridge.trouble.connect(told.append)
    workbench.open_run(other)
    qtbot.waitUntil(lambda: workbench.run == other and not workbench.is_opening, timeout=WAIT_MS)
    assert told


def test_a_run_that_was_opened_before_ends_the_opening_of_the_next_neither_there_nor_refused(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    other = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    workbench.open_run(tmp_path / "gone")
    with pytest.raises(UserError, match="gone"):
        bridge.engine.ask(OpenRun(run=tmp_path / "gone")).result(timeout=100)  # behind it: the window has not read that
    workbench.open_run(other)
    bridge.drain()
    assert workbench.is_opening
    qtbot.waitUntil(lambda: workbench.run == other, timeout=WAIT_MS)
    late = bridge.history.prepared
    assert late is not None
    workbench.open_run(example_path())
    bridge.prepared.emit(late)
    assert workbench.is_opening
    qtbot.waitUntil(lambda: workbench.run == example_path() and not workbench.is_opening, timeout=WAIT_MS)


def test_learn_during_an_opening_begins_no_run_and_can_be_asked_for_once_that_is_refused(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench = window.context.workbench
    workbench.open_run(tmp_path / "gone")
    workbench.learn()
    qtbot.waitUntil(lambda: window.strip.trouble is not None and not workbench.is_opening, timeout=WAIT_MS)
    assert not list_runs(tmp_path / "runs")
    workbench.learn()
    qtbot.waitUntil(lambda: window.context.bridge.state == "finished", timeout=WAIT_MS)
    assert len(list_runs(tmp_path / "runs")) == 1


@pytest.mark.parametrize("ask", [Workbench.learn, Workbench.finish])
def test_what_is_asked_of_a_run_while_another_is_opened_is_done_with_neither(
    qtbot: QtBot, window: MainWindow, ask: Callable[[Workbench], None]
) -> None:
    bridge, workbench, runs = window.context.bridge, window.context.workbench, list[Path]()
    for _ in range(2):
        workbench.reset()
        workbench.learn(1)
        qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
        assert workbench.run is not None
        runs.append(workbench.run)
    workbench.open_run(runs[0])
    ask(workbench)
    qtbot.waitUntil(lambda: workbench.run == runs[0] and not workbench.is_opening, timeout=WAIT_MS)
    wait_for_answers(qtbot, window)
    assert bridge.state == "paused" and bridge.history.last_step == 1


def test_what_is_typed_while_an_opening_is_refused_is_prepared(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench = window.context.workbench
    workbench.open_run(tmp_path / "gone")
    workbench.edit("training.max_steps", 17)
    qtbot.waitUntil(lambda: bool(workbench.applied) and workbench.applied == workbench.draft, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.context.bridge.state == "ready", timeout=WAIT_MS)
    assert workbench.applied is not None and workbench.applied.training.max_steps == 17
    assert "gone" in window.strip.sentence.text()


def test_plugins_that_are_read_anew_while_an_opening_is_refused_are_prepared_with(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    with qtbot.waitSignal(window.context.bridge.prepared, timeout=WAIT_MS):
        window.context.workbench.open_run(tmp_path / "gone")
        window.context.workbench.renew()


def test_an_opening_that_is_refused_as_the_window_opens_leaves_the_first_preset(
    qtbot: QtBot, empty_window: MainWindow, tmp_path: Path
) -> None:
    workbench = empty_window.context.workbench
    empty_window.begin()
    qtbot.waitUntil(lambda: running_timers(workbench) == [], timeout=WAIT_MS)  # it is asked for
    workbench.open_run(tmp_path / "gone")
    qtbot.waitUntil(lambda: empty_window.context.bridge.state == "ready", timeout=WAIT_MS)


def test_what_was_to_be_prepared_as_a_run_was_opened_is_prepared_once_that_is_refused(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    is_ready, may_go_on = Event(), Event()

    def hold(event: object) -> None:
        """Keep the engine from beginning with what is asked for, until all of it is."""
        if isinstance(event, StateChanged) and event.state == "ready":
            is_ready.set()
            may_go_on.wait(30)

    bridge.engine.add_listener(hold)
    workbench.reset()
    assert is_ready.wait(30)
    workbench.edit("model.d_ff", 32)
    workbench.prepare()
    workbench.open_run(tmp_path / "gone")
    may_go_on.set()
    qtbot.waitUntil(lambda: "gone" in window.strip.sentence.text() and not workbench.is_opening, timeout=WAIT_MS)
    workbench.learn(1)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.history.last_step == 1, timeout=WAIT_MS)
    assert workbench.run is not None and RunFolder.open(workbench.run).config().model.d_ff == 32


def test_after_a_preset_an_edit_waits_for_the_next_key_as_ever(window: MainWindow) -> None:
    window.context.workbench.edit("training.max_steps", 17)
    assert running_timers(window.context.workbench) == [PREPARE_DELAY_MS]


def test_what_is_typed_before_a_run_has_begun_acts_on_it_or_waits(qtbot: QtBot, window: MainWindow) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    window.transport.pace_slider.setValue(0)
    workbench.restart()
    workbench.edit("model.d_ff", 24)
    workbench.edit("training.max_steps", 17)
    assert running_timers(workbench) == [ACT_DELAY_MS]
    qtbot.waitUntil(lambda: [one.value for one in bridge.history.settings_changed] == [17], timeout=WAIT_MS)
    assert bridge.state == "learning" and workbench.waiting == ("model.d_ff",)


def test_what_is_typed_before_a_run_that_cannot_begin_is_prepared(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench = window.context.workbench
    (tmp_path / "runs").write_text("a file where the folder should be", encoding="utf-8")
    workbench.learn()
    workbench.edit("training.max_steps", 17)
    qtbot.waitUntil(lambda: workbench.resolved.config.training.max_steps == 17, timeout=WAIT_MS)  # type: ignore[union-attr]


def test_what_mends_data_that_could_not_be_prepared_is_prepared_though_a_run_was_to_begin(
    qtbot: QtBot, window: MainWindow
) -> None:
    workbench = window.context.workbench
    assert workbench.draft is not None
    dataset = workbench.draft.dataset.model_dump()
    workbench.edit("dataset", {"plugin": "parallel_text"})  # without a file
    with qtbot.waitSignal(workbench.unprepared, timeout=WAIT_MS):
        workbench.restart()
        workbench.edit("dataset", dataset)
    qtbot.waitUntil(lambda: workbench.resolved is not None, timeout=WAIT_MS)
    assert workbench.applied == workbench.draft


def test_a_run_that_is_opened_right_after_learn_learns_nothing(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    other = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    workbench.learn()
    workbench.open_run(other)
    qtbot.waitUntil(lambda: workbench.run == other, timeout=WAIT_MS)
    answered: list[object] = []
    bridge.ask(LocateData(), answered.append)  # behind a Learn that was asked for
    qtbot.waitUntil(lambda: bool(answered), timeout=WAIT_MS)
    assert bridge.state == "paused"


def test_a_setting_acts_on_a_run_that_was_opened_before_another_had_begun(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    other = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    changed = list[SettingChanged]()
    bridge.setting_changed.connect(changed.append)
    workbench.restart()
    workbench.open_run(other)
    qtbot.waitUntil(lambda: workbench.run == other, timeout=WAIT_MS)
    workbench.edit("training.optimizer.learning_rate", 0.25)
    qtbot.waitUntil(lambda: [one.value for one in changed] == [0.25], timeout=WAIT_MS)


def test_a_branch_of_another_run_is_asked_for_while_one_is_opened(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(window.context.bridge, "ask", lambda request, *_: asked.append(request))
    window.context.workbench.open_run(example_path())
    window.context.workbench.branch(example_path(), 800)
    assert [type(request) for request in asked] == [OpenRun, Branch]


def test_a_closed_window_acts_on_nothing_that_was_typed(qtbot: QtBot, window: MainWindow) -> None:
    workbench, bridge = window.context.workbench, window.context.bridge
    workbench.learn(1)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    workbench.edit("model.dropout", 0.25)
    assert running_timers(workbench)
    window.close_down()
    assert not running_timers(workbench)


def unsaveable_run(qtbot: QtBot, window: MainWindow) -> Path:
    """A run that stands at step 3 and cannot write a checkpoint."""
    workbench, bridge = window.context.workbench, window.context.bridge
    workbench.learn(3)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    assert workbench.run is not None
    shutil.rmtree(workbench.run / "checkpoints", ignore_errors=True)
    (workbench.run / "checkpoints").write_text("a file where the folder should be", encoding="utf-8")
    return workbench.run


@pytest.mark.parametrize("leave", [Workbench.reset, lambda workbench: workbench.open_run(example_path())])
def test_what_closing_called_off_is_awaited_no_more_where_the_window_cannot_close(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, leave: Callable[[Workbench], None]
) -> None:
    workbench, bridge = window.context.workbench, window.context.bridge
    run, may_go_on = unsaveable_run(qtbot, window), Event()

    def hold(event: object) -> None:
        """Keep the engine from what is asked for, until all of it is."""
        if isinstance(event, SettingChanged):
            may_go_on.wait(30)

    bridge.engine.add_listener(hold)
    workbench.try_out(Experiment("a higher rate", "training.optimizer.learning_rate", 0.25))
    leave(workbench)
    window.close()
    may_go_on.set()
    qtbot.waitUntil(window.isEnabled, timeout=WAIT_MS)
    assert workbench.run == run and not workbench.is_opening
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.history.last_step == 4, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    workbench.keep_in(tmp_path / "elsewhere", run)
    qtbot.waitUntil(lambda: workbench.run != run, timeout=WAIT_MS)


def wait_for_answers(qtbot: QtBot, window: MainWindow) -> None:
    """Until all that was asked so far is answered."""
    answered: list[object] = []
    window.context.bridge.ask(LocateData(), answered.append)
    qtbot.waitUntil(lambda: bool(answered), timeout=WAIT_MS)


def running_timers(workbench: Workbench) -> list[int]:
    """The intervals of the timers that still run, in milliseconds."""
    return [timer.interval() for timer in workbench.findChildren(QTimer) if timer.isActive()]


@pytest.mark.parametrize("choose", [Workbench.reset, lambda workbench: workbench.take(read_preset("copy_task"))])
def test_a_run_that_is_opened_after_all_takes_the_place_of_nothing_that_was_chosen_since(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, choose: Callable[[Workbench], None]
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.open_run(example_path())
    bridge.engine.ask(LocateData()).result(timeout=100)  # it is there, which the window has not read yet
    choose(workbench)
    chosen = workbench.draft
    workbench.learn(1)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.history.last_step == 1, timeout=WAIT_MS)
    [run] = list_runs(tmp_path / "runs")
    assert chosen is not None and RunFolder.open(run).config().model == chosen.model
    assert workbench.run == run and workbench.draft == chosen


@pytest.mark.parametrize("leave", [Workbench.reset, lambda workbench: workbench.open_run(example_path())])
def test_a_run_that_is_left_before_its_first_step_is_none(
    qtbot: QtBot, window: MainWindow, home: Path, tmp_path: Path, leave: Callable[[Workbench], None]
) -> None:
    (home / "data").mkdir(exist_ok=True)  # for the trash
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn()
    bridge.engine.ask(LocateData()).result(timeout=100)  # its folder is there, which the window has not read yet
    assert len(list_runs(tmp_path / "runs")) == 1
    leave(workbench)
    qtbot.waitUntil(lambda: not list_runs(tmp_path / "runs"), timeout=WAIT_MS)
    assert window.strip.trouble is None


def test_a_run_that_was_kept_elsewhere_and_left_before_its_first_step_is_none(
    qtbot: QtBot, window: MainWindow, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "data").mkdir(exist_ok=True)  # for the trash
    monkeypatch.setattr("core.serving.desk.Desk._seconds_to_next_turn", lambda _: 1000.0)  # it comes to no step
    workbench, elsewhere = window.context.workbench, tmp_path / "elsewhere"
    workbench.learn()
    qtbot.waitUntil(lambda: workbench.run is not None, timeout=WAIT_MS)
    workbench.keep_in(elsewhere, workbench.run)
    qtbot.waitUntil(lambda: list_runs(elsewhere) == [workbench.run], timeout=WAIT_MS)
    assert window.context.bridge.history.last_step == 0
    workbench.reset()
    qtbot.waitUntil(lambda: not list_runs(elsewhere), timeout=WAIT_MS)


def test_a_run_that_is_left_while_it_is_moved_is_at_hand_no_more(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench, elsewhere = window.context.bridge, window.context.workbench, tmp_path / "elsewhere"
    at_hand = list[Path | None]()
    workbench.learn(3)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    workbench.keep_in(elsewhere, workbench.run)
    workbench.reset()
    workbench.changed.connect(lambda: at_hand.append(workbench.run))
    wait_for_answers(qtbot, window)
    assert len(list_runs(elsewhere)) == 1 and at_hand and not any(at_hand)


def test_a_run_that_is_kept_elsewhere_twice_is_at_hand_where_it_was_moved_last(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn(3)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    run = workbench.run
    for place in ("elsewhere", "there"):  # before the window knows that it was moved
        workbench.keep_in(tmp_path / place, run)
    wait_for_answers(qtbot, window)
    assert [workbench.run] == list_runs(tmp_path / "there")


def test_a_run_that_was_moved_and_cannot_be_left_is_at_hand_where_it_is_kept_now(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench, elsewhere = window.context.bridge, window.context.workbench, tmp_path / "elsewhere"
    told, run = list[str](), unsaveable_run(qtbot, window)
    bridge.trouble.connect(lambda trouble: told.append(trouble.sentence))
    bridge.engine.add_listener(keep_from_saving_in(elsewhere))
    workbench.keep_in(elsewhere, run)
    workbench.reset()
    wait_for_answers(qtbot, window)
    assert any("cannot be written" in sentence for sentence in told) and bridge.state == "paused"
    assert [workbench.run] == list_runs(elsewhere)
    workbench.keep_in(tmp_path / "there", workbench.run)
    qtbot.waitUntil(lambda: [workbench.run] == list_runs(tmp_path / "there"), timeout=WAIT_MS)


def test_a_setting_that_a_run_refuses_as_it_is_moved_waits(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    key = "training.best_metric"
    workbench.learn(3)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    workbench.keep_in(tmp_path / "elsewhere", workbench.run)
    workbench.try_out(Experiment("another metric", key, "valid/typo"))
    assert not workbench.waiting
    wait_for_answers(qtbot, window)
    assert [workbench.run] == list_runs(tmp_path / "elsewhere") and workbench.waiting == (key,)


def keep_from_saving_in(place: Path) -> Callable[[object], None]:
    """A listener that puts a file in the way of each checkpoint after the first there."""

    def put(event: object) -> None:
        if isinstance(event, CheckpointSaved) and list_runs(place):
            checkpoints = list_runs(place)[0] / "checkpoints"
            shutil.rmtree(checkpoints)
            checkpoints.write_text("a file where the folder should be", encoding="utf-8")

    return put


def test_a_run_that_was_given_a_name_stays_though_it_is_left_before_its_first_step(
    qtbot: QtBot, window: MainWindow, home: Path, tmp_path: Path
) -> None:
    (home / "data").mkdir(exist_ok=True)  # for the trash
    bridge, workbench, looked_at = window.context.bridge, window.context.workbench, list[None]()
    workbench.learn()
    bridge.engine.ask(LocateData()).result(timeout=100)  # its folder is there, which the window has not read yet
    [run] = list_runs(tmp_path / "runs")
    RunFolder.open(run).write_label(RunLabel(name="the one for Monday"))
    workbench.open_run(example_path())
    qtbot.waitUntil(lambda: workbench.run == example_path(), timeout=WAIT_MS)
    bridge.call(lambda: None, looked_at.append)  # behind what may be thrown away
    qtbot.waitUntil(lambda: bool(looked_at), timeout=WAIT_MS)
    assert list_runs(tmp_path / "runs") == [run]


def test_a_run_that_is_left_right_after_its_first_step_stays(
    qtbot: QtBot, window: MainWindow, home: Path, tmp_path: Path
) -> None:
    (home / "data").mkdir(exist_ok=True)  # for the trash
    bridge, workbench, looked_at = window.context.bridge, window.context.workbench, list[None]()
    workbench.learn(1)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.history.last_step == 1, timeout=WAIT_MS)
    run = workbench.run
    workbench.open_run(example_path())
    qtbot.waitUntil(lambda: workbench.run == example_path(), timeout=WAIT_MS)
    bridge.call(lambda: None, looked_at.append)  # behind what may be thrown away
    qtbot.waitUntil(lambda: bool(looked_at), timeout=WAIT_MS)
    assert list_runs(tmp_path / "runs") == [run]


def test_a_run_that_was_left_for_a_damaged_one_is_there_again_with_what_was_changed(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn(1)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    run = workbench.run
    workbench.edit("model.d_ff", 64)
    workbench.open_run(damaged_run(tmp_path / "runs" / "other"))
    qtbot.waitUntil(lambda: bool(window.strip.sentence.text()) and not workbench.is_opening, timeout=WAIT_MS)
    assert workbench.run == run and bridge.state == "paused" and "model.d_ff" in workbench.waiting
    assert "damaged" in window.strip.sentence.text()
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.history.last_step == 2, timeout=WAIT_MS)


def test_a_run_that_is_had_back_has_what_was_changed_and_not_written_down_yet(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench, key = window.context.bridge, window.context.workbench, "training.optimizer.learning_rate"
    opened_again(qtbot, window)
    workbench.edit("model.d_ff", 64)
    workbench.try_out(Experiment("a higher rate", key, 0.25))
    come_back(qtbot, window, tmp_path)
    assert workbench.waiting == ("model.d_ff",)
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.history.last_step == 4, timeout=WAIT_MS)
    assert bridge.history.prepared is not None
    assert bridge.history.prepared.config.training.optimizer.learning_rate == 0.25


def test_a_run_that_is_had_back_after_more_steps_waits_for_nothing_that_nobody_changed(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.learn()
    qtbot.waitUntil(lambda: bridge.state == "finished", timeout=WAIT_MS)
    workbench.learn_more()
    qtbot.waitUntil(lambda: bridge.history.last_step > 40, timeout=WAIT_MS)
    workbench.toggle()
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    settings = workbench.draft
    come_back(qtbot, window, tmp_path)
    assert bridge.state == "paused" and not workbench.waiting and workbench.draft == settings
    assert not window.status_bar.told_label.isVisible()


def test_a_run_that_went_on_elsewhere_before_it_is_had_back_says_at_which_step_it_is(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    run = opened_again(qtbot, window)
    with Engine(cache_dir=tmp_path / "elsewhere") as elsewhere:
        elsewhere.ask(OpenRun(run=run)).result(timeout=100)
        elsewhere.ask(Learn(steps=2)).result(timeout=100)
    come_back(qtbot, window, tmp_path)
    assert window.context.bridge.history.last_step == 5
    assert window.status_bar.told_label.toolTip() == f"{run.name} was at step 3, and is at step 5 now"


def test_an_opened_run_that_went_on_elsewhere_says_that_it_is_to_be_opened_again_to_learn(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench, strip, run = window.context.workbench, window.strip, opened_again(qtbot, window)
    with Engine(cache_dir=tmp_path / "elsewhere") as elsewhere:
        elsewhere.ask(OpenRun(run=run)).result(timeout=30)
        elsewhere.ask(Learn(steps=2)).result(timeout=30)
    workbench.learn(1)
    qtbot.waitUntil(lambda: strip.trouble is not None, timeout=WAIT_MS)
    assert strip.sentence.text().startswith("This is the run at step 3; its last checkpoint is of step 5 by now")
    assert "Open the run again" in strip.advice.text()
    strip.dismiss()
    workbench.open_run(run)
    qtbot.waitUntil(lambda: workbench.run == run and not workbench.is_opening, timeout=WAIT_MS)
    workbench.learn(1)
    qtbot.waitUntil(lambda: window.context.bridge.history.last_step == 6, timeout=WAIT_MS)


def test_a_run_that_was_killed_between_two_checkpoints_says_whose_weights_it_has(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench, bridge, told = window.context.workbench, window.context.bridge, window.status_bar.told_label
    workbench.edit_what_fits({"training.checkpoint_every": 10})
    workbench.learn(25)
    qtbot.waitUntil(lambda: bridge.history.last_step == 25 and bridge.state == "paused", timeout=WAIT_MS)
    assert workbench.run is not None
    killed = shutil.copytree(workbench.run, tmp_path / "runs" / "killed")  # as a power cut leaves it
    RunFolder.open(killed).update(pid=None)
    workbench.open_run(killed)
    qtbot.waitUntil(lambda: workbench.run == killed and not workbench.is_opening, timeout=WAIT_MS)
    goes_on = "Learn goes on from there; the curves go on to step 25"
    assert told.toolTip() == f"Opened at the checkpoint of step 20: {goes_on}"
    workbench.step(1)
    qtbot.waitUntil(lambda: bridge.history.last_step == 21, timeout=WAIT_MS)


def test_a_run_that_another_process_writes_says_who_does_as_it_is_opened(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench, told = window.context.workbench, window.status_bar.told_label
    run = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    RunFolder.open(run).update(state="learning", pid=os.getppid(), host=socket.gethostname(), pid_started=None)
    workbench.open_run(run)
    qtbot.waitUntil(lambda: workbench.run == run and not workbench.is_opening, timeout=WAIT_MS)
    assert told.toolTip().endswith(
        f"process {os.getppid()} writes this run; open it again to learn here, once that has ended"
    )


@pytest.mark.parametrize("is_damaged", [True, False])
def test_reset_between_two_openings_counts_where_the_second_is_refused(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, is_damaged: bool
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    second = damaged_run(tmp_path / "runs" / "other") if is_damaged else tmp_path / "gone"
    settings = workbench.draft
    workbench.open_run(example_path())
    bridge.engine.ask(LocateData()).result(timeout=100)  # it is there, which the window has not read yet
    workbench.reset()
    workbench.open_run(second)
    qtbot.waitUntil(lambda: window.strip.trouble is not None and bridge.state == "ready", timeout=WAIT_MS)
    wait_for_answers(qtbot, window)
    assert workbench.run is None and workbench.draft == workbench.applied == settings


def test_reset_between_two_openings_ends_neither_the_second_nor_a_branch(qtbot: QtBot, window: MainWindow) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    run = opened_again(qtbot, window)
    for again in (partial(workbench.open_run, run), partial(workbench.branch, run, 3)):
        workbench.open_run(example_path())
        bridge.engine.ask(LocateData()).result(timeout=100)  # it is there, which the window has not read yet
        workbench.reset()
        again()
        qtbot.waitUntil(lambda: workbench.run is not None and not workbench.is_opening, timeout=WAIT_MS)
        folder = bridge.history.folder
        assert folder is not None and folder.path == workbench.run != example_path()
        assert run == workbench.run or folder.state.parent == run.name


def opened_again(qtbot: QtBot, window: MainWindow) -> Path:
    """A run of three steps, left and opened: nobody writes it."""
    workbench, bridge = window.context.workbench, window.context.bridge
    workbench.learn(3)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    run = workbench.run
    assert run is not None
    workbench.reset()
    workbench.open_run(run)
    qtbot.waitUntil(lambda: workbench.run == run and not workbench.is_opening, timeout=WAIT_MS)
    return run


def come_back(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    """Leave the run at hand for a damaged one, and have it back."""
    workbench = window.context.workbench
    run = workbench.run
    workbench.open_run(damaged_run(tmp_path / "runs" / "other"))
    qtbot.waitUntil(lambda: bool(window.strip.sentence.text()) and not workbench.is_opening, timeout=WAIT_MS)
    wait_for_answers(qtbot, window)
    assert workbench.run == run


def test_a_run_that_is_damaged_while_it_is_at_hand_leaves_its_settings(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    run = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "runs" / "other")
    workbench.open_run(run)
    qtbot.waitUntil(lambda: workbench.run == run and not workbench.is_opening, timeout=WAIT_MS)
    settings = workbench.draft
    damage(run)
    workbench.open_run(run)
    qtbot.waitUntil(lambda: workbench.run is None and bridge.state == "ready", timeout=WAIT_MS)
    assert workbench.draft == settings


def test_another_preset_waits_on_where_a_run_was_left_for_a_damaged_one(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench = window.context.workbench
    workbench.learn(1)
    qtbot.waitUntil(lambda: workbench.run is not None and window.context.bridge.state == "paused", timeout=WAIT_MS)
    workbench.take(read_preset("copy_task"))
    workbench.open_run(damaged_run(tmp_path / "runs" / "other"))
    qtbot.waitUntil(lambda: bool(window.strip.sentence.text()) and not workbench.is_opening, timeout=WAIT_MS)
    assert workbench.is_another_taken and workbench.draft == read_preset("copy_task")


def damaged_run(path: Path) -> Path:
    """One that looks well until its weights are read."""
    run = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", path)
    damage(run)
    return run


def damage(run: Path) -> None:
    for file in run.glob("checkpoints/*/*"):
        file.write_bytes(b"cut off")
