"""An edit applies to the current run, or waits."""

from __future__ import annotations

import shutil
from pathlib import Path
from threading import Event

import pytest
from pytestqt.qtbot import QtBot

from core.config import EarlyStoppingConfig
from core.events import SettingChanged
from core.notices.notice import Experiment
from core.run_folder import RunFolder, list_runs
from core.settings.overriding import change_setting
from gui.bench.live_edits import APPLY_DELAY_MS
from gui.main_window import MainWindow
from tests.gui.bench.runs import ROOT, running_timers, unsaveable_run, wait_for_answers
from tests.gui.conftest import WAIT_MS


def test_after_1000_more_steps_the_plan_follows_and_reset_uses_the_configured_steps(
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
    assert window.transport.state_label.text().endswith(" of 1,040") and not workbench.waiting_changes
    window.transport.reset_button.click()
    qtbot.waitUntil(lambda: bridge.state == "ready" and planned_until() == 40, timeout=WAIT_MS)
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    first, second = (RunFolder.open(run).config() for run in list_runs(tmp_path / "runs"))
    assert first == second and second.training.max_steps == 40


def test_edits_made_while_another_run_opens_never_apply_to_it(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    workbench, bridge, returned_texts = window.context.workbench, window.context.bridge, list[str]()
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
    window.context.follow_sentence("1 2 3", returned_texts.append)
    assert returned_texts == ["1 2 3"] and "is being opened" in window.trouble_strip.sentence.text()
    qtbot.waitUntil(lambda: workbench.run == other, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bridge.state == "paused", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: running_timers(workbench) == [], timeout=WAIT_MS)
    assert workbench.draft == workbench.applied and changed == []
    workbench.open_run(tmp_path / "deleted")
    workbench.try_out(experiment)  # the opening is refused, and the current run stays
    qtbot.waitUntil(lambda: [one.value for one in changed] == [0.5], timeout=WAIT_MS)


def test_a_setting_that_the_run_refuses_is_marked_and_waits(qtbot: QtBot, window: MainWindow) -> None:
    workbench, key = window.context.workbench, "training.best_metric"
    workbench.learn(1)
    qtbot.waitUntil(lambda: window.context.bridge.history.last_step == 1, timeout=WAIT_MS)
    row = window.setup_drawer.forms.form("training").rows[key]
    row.edited.emit(key, "valid/typo")
    qtbot.waitUntil(lambda: "given 'valid/typo'" in window.trouble_strip.sentence.text(), timeout=WAIT_MS)
    assert workbench.waiting_changes == (key,) and "given 'valid/typo'" in row.error
    row.edited.emit(key, "valid/loss")
    assert not row.error and not workbench.waiting_changes


def test_a_setting_that_could_not_be_written_applies_once_it_can_be(qtbot: QtBot, window: MainWindow) -> None:
    workbench, bridge, changed = window.context.workbench, window.context.bridge, list[SettingChanged]()
    bridge.setting_changed.connect(changed.append)
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.history.last_step == 1 and bridge.state == "paused", timeout=WAIT_MS)
    assert workbench.run is not None
    metrics, moved_aside = workbench.run / "metrics.jsonl", workbench.run / "aside"
    metrics.rename(moved_aside)
    metrics.mkdir()  # a folder where the file should be
    workbench.edit("training.early_stopping", {"patience": 3})
    qtbot.waitUntil(lambda: "cannot be written" in window.trouble_strip.sentence.text(), timeout=WAIT_MS)
    assert workbench.applied is not None and workbench.applied.training.early_stopping is None and not changed
    metrics.rmdir()
    moved_aside.rename(metrics)
    workbench.learn(1)
    qtbot.waitUntil(lambda: bridge.history.last_step == 2, timeout=WAIT_MS)
    assert [one.step for one in changed] == [1] and not workbench.waiting_changes
    assert bridge.history.prepared is not None and bridge.history.prepared.config.training.early_stopping is not None


@pytest.mark.parametrize("is_left", [False, True])
def test_a_cancelled_setting_applies_with_the_next_learn(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, is_left: bool
) -> None:
    workbench, bridge, changed = window.context.workbench, window.context.bridge, list[SettingChanged]()
    key = "training.optimizer.learning_rate"
    unsaveable_run(qtbot, window)
    before = workbench.applied
    bridge.setting_changed.connect(changed.append)
    may_continue = held_at_the_end(window)
    for rate in (0.125, 0.25):
        workbench.try_out(Experiment("a higher rate", key, rate))
    if is_left:
        workbench.reset()  # refused, since the run cannot be saved
    else:
        workbench.open_run(tmp_path / "gone")
    may_continue.set()
    qtbot.waitUntil(lambda: window.trouble_strip.trouble is not None and not workbench.is_opening, timeout=WAIT_MS)
    wait_for_answers(qtbot, window)
    assert workbench.applied == before and not changed and workbench.run is not None
    if is_left:
        assert workbench.waiting_changes == (key,)  # Reset will use it
        workbench.try_out(Experiment("a higher rate", key, 0.5))
        qtbot.waitUntil(lambda: [one.value for one in changed] == [0.5], timeout=WAIT_MS)
        workbench.reset()  # refused again
        wait_for_answers(qtbot, window)
        assert workbench.applied is not None and workbench.applied.training.optimizer.learning_rate == 0.5
    else:
        workbench.learn(1)
        qtbot.waitUntil(lambda: [one.value for one in changed] == [0.25], timeout=WAIT_MS)
        assert not workbench.waiting_changes


@pytest.mark.parametrize(("is_left", "ends_off"), [(False, False), (True, True)])
def test_cancelled_settings_of_one_group_are_taken_back_together(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, is_left: bool, ends_off: bool
) -> None:
    workbench, group = window.context.workbench, "training.early_stopping"
    unsaveable_run(qtbot, window)
    may_continue = held_at_the_end(window)
    for key, value in ((group, {}), (f"{group}.patience", 5), (group, None))[: 2 + ends_off]:
        workbench.try_out(Experiment("stop early", key, value))
    if is_left:
        workbench.reset()  # refused, since the run cannot be saved
    else:
        workbench.open_run(tmp_path / "gone")
    may_continue.set()
    wait_for_answers(qtbot, window)
    assert workbench.applied is not None and workbench.applied.training.early_stopping is None


def test_edits_made_before_a_run_has_begun_apply_to_it_or_wait(qtbot: QtBot, window: MainWindow) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    window.transport.pace_slider.setValue(0)
    workbench.restart()
    workbench.edit("model.d_ff", 24)
    workbench.edit("training.max_steps", 17)
    assert running_timers(workbench) == [APPLY_DELAY_MS]
    qtbot.waitUntil(lambda: [one.value for one in bridge.history.settings_changed] == [17], timeout=WAIT_MS)
    assert bridge.state == "learning" and workbench.waiting_changes == ("model.d_ff",)


def test_a_group_switched_off_before_the_run_has_begun_takes_the_edits_in_it_with_it(
    qtbot: QtBot, window: MainWindow
) -> None:
    workbench, bridge, group = window.context.workbench, window.context.bridge, "training.early_stopping"
    workbench.learn(1)
    assert workbench.run is None
    for key, value in ((group, {}), (f"{group}.patience", 5), (group, None)):
        workbench.edit(key, value)
    workbench.apply_edits_now()
    qtbot.waitUntil(lambda: bridge.history.last_step == 1 and running_timers(workbench) == [], timeout=WAIT_MS)
    assert workbench.draft == workbench.applied and workbench.waiting_changes == ()


def test_a_setting_switches_its_group_on_in_a_run_without_it(qtbot: QtBot, window: MainWindow) -> None:
    workbench, bridge, group = window.context.workbench, window.context.bridge, "training.early_stopping"
    workbench.learn(1)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    assert workbench.draft is not None and workbench.applied is not None
    workbench.replace_draft(change_setting(workbench.draft, group, {}))  # a file that waits for a new run
    workbench.edit(f"{group}.patience", 5)
    workbench.apply_edits_now()
    qtbot.waitUntil(lambda: [one.value for one in bridge.history.settings_changed] == [5], timeout=WAIT_MS)
    assert workbench.applied.training.early_stopping == EarlyStoppingConfig(patience=5)


def test_a_setting_applies_to_a_run_opened_before_another_had_begun(
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


def test_a_setting_refused_while_the_run_is_moved_waits(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    bridge, workbench = window.context.bridge, window.context.workbench
    key = "training.best_metric"
    workbench.learn(3)
    qtbot.waitUntil(lambda: workbench.run is not None and bridge.state == "paused", timeout=WAIT_MS)
    workbench.change_runs_dir(tmp_path / "elsewhere", workbench.run)
    workbench.try_out(Experiment("another metric", key, "valid/typo"))
    assert not workbench.waiting_changes
    wait_for_answers(qtbot, window)
    assert [workbench.run] == list_runs(tmp_path / "elsewhere") and workbench.waiting_changes == (key,)


def held_at_the_end(window: MainWindow) -> Event:
    """Finish the run, and hold the engine there, so that requests queue up until the returned event is set."""
    is_ending, may_continue = Event(), Event()

    def hold(_: object) -> None:
        is_ending.set()
        may_continue.wait(30)

    window.context.bridge.engine.add_listener(hold)
    window.context.workbench.finish()
    assert is_ending.wait(30)
    return may_continue
