"""A run that was left, opened again or disturbed by refused requests continues unchanged."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from core.engine import Engine
from core.errors import UserError
from core.events import CheckpointSaved, Event, ProbeDone, RunFinished, StepsDone, Trouble, ValidationDone
from core.history import History
from core.requests import (
    Branch,
    ChangeSetting,
    Evaluate,
    Finish,
    Learn,
    MoveRun,
    OpenRun,
    Pause,
    Prepare,
    Stop,
    Translate,
)
from core.run_folder import RunFolder
from tests.core.serving.running import TEXT, assert_same_weights, finished_run
from tests.core.watcher import SECONDS, Watcher, answered, begun, tiny_config

pytestmark = pytest.mark.usefixtures("tiny_data_at_hand")


ROOT = Path(__file__).parents[3]


def test_a_run_left_and_opened_again_gives_the_same_weights(tmp_path: Path) -> None:
    watcher = Watcher()
    with Engine([watcher]) as engine:
        plain = finished_run(engine, tmp_path)
        stopped = begun(engine, tmp_path)
        answered(engine, Learn(steps=33))
        assert answered(engine, Stop()) == stopped
        assert watcher.all(CheckpointSaved)[-1].step == 33
        assert RunFolder.open(stopped).state.state == "stopped"
    watcher = Watcher()
    with Engine([watcher]) as engine:
        prepared = answered(engine, OpenRun(run=stopped))
        assert prepared.run == stopped
        answered(engine, Learn())
    assert watcher.steps() == list(range(34, 61))
    assert RunFolder.open(stopped).metrics()[0].tolist() == list(range(1, 61))
    assert_same_weights(plain, stopped)


def test_changes_after_the_checkpoint_of_the_same_step_are_removed(tmp_path: Path) -> None:
    killed, rate = tmp_path / "killed", "training.optimizer.learning_rate"

    def kill(event: Event) -> None:
        """Copy the run: the copy is what a kill would leave at this moment."""
        if isinstance(event, ValidationDone):
            shutil.copytree(moved, killed)

    with Engine([kill]) as engine:
        begun(engine, tmp_path, schedule={"name": "constant", "warmup_steps": 0})
        answered(engine, Learn(steps=7))
        answered(engine, ChangeSetting(key=rate, value=0.25))
        moved = answered(engine, MoveRun(runs_dir=tmp_path / "moved"))  # saves a checkpoint
        answered(engine, ChangeSetting(key=rate, value=0.5))
        answered(engine, Finish())
    folder = RunFolder.open(killed)
    assert len(folder.settings_changed()) == 2 and list(folder.validation_metrics()) == [7]
    history = History()
    with Engine([history.apply]) as engine:
        answered(engine, OpenRun(run=killed))
        assert len(history.settings_changed) == 2 and list(history.best_steps) == [7]
        answered(engine, Learn(steps=1))
    assert [changed.value for changed in folder.settings_changed()] == [0.25]
    assert folder.metrics()[1]["train/learning_rate"][-1] == 0.25 and not folder.validation_metrics()
    assert history.settings_changed == folder.settings_changed()
    assert not history.validations and not history.best_steps and "valid/loss" not in history.metric_names


def test_a_step_validated_again_by_another_metric_stays_the_best_by_it(tmp_path: Path) -> None:
    metric, steps, rate = "training.best_metric", "training.max_steps", "training.optimizer.learning_rate"
    with Engine() as engine:
        run = finished_run(engine, tmp_path, max_steps=20)
        answered(engine, OpenRun(run=run, changes=((metric, "valid/chrf"),)))
        answered(engine, Learn())
        answered(engine, OpenRun(run=run, changes=((steps, 21), (rate, 50.0))))
        answered(engine, Learn())
    history = History.read(RunFolder.open(run))
    assert history.best_metric_at(20) == ("valid/chrf", 20)
    assert [event.key for event in history.settings_changed] == [metric, steps, rate]


def test_a_run_that_cannot_continue_is_left_as_it_was(engine: Engine, tmp_path: Path) -> None:
    run = finished_run(engine, tmp_path)
    before, metrics = RunFolder.open(run).state, (run / "metrics.jsonl").read_bytes()
    answered(engine, OpenRun(run=run))
    (run / "metrics.jsonl").write_bytes(b"x" + metrics[1:])
    with pytest.raises(UserError, match="line 1 is damaged"):
        answered(engine, Learn(steps=1))
    assert replace(RunFolder.open(run).state, updated=before.updated) == before
    (run / "metrics.jsonl").write_bytes(metrics)
    answered(engine, Learn(steps=1))
    assert RunFolder.open(run).last_trained_step() == 61


def test_a_new_prepare_saves_the_previous_run(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    run = begun(engine, tmp_path, max_steps=10**6)
    learning = engine.ask(Learn())
    watcher.wait(ProbeDone, lambda event: event.probe.step >= 5)
    answered(engine, Prepare(config=tiny_config(seed=1)))
    learning.result(SECONDS)
    folder = RunFolder.open(run)
    assert (folder.state.state, folder.state.pid) == ("stopped", None)
    assert folder.checkpoint_step("last") == folder.metrics()[0][-1]


def test_opening_the_run_in_training_keeps_its_step(engine: Engine, tmp_path: Path) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=13))
    answered(engine, OpenRun(run=run))
    assert answered(engine, Pause()) == 13


def test_requests_refused_at_once_do_not_interrupt_training(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    other = RunFolder.open(shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "other"))
    dataset = other.config().dataset.model_copy(update={"plugin": "gone"})
    other.write_config(other.config().model_copy(update={"dataset": dataset}))
    begun(engine, tmp_path / "runs", max_steps=10**6)
    learning = engine.ask(Learn())
    watcher.wait(StepsDone)
    for request, reason in (
        (OpenRun(run=tmp_path / "deleted"), "there is no such folder"),
        (Branch(run=other.path, step=40, runs_dir=tmp_path / "runs"), "There is no dataset plugin 'gone'"),
        (Evaluate(split="train set"), "There is no split"),
    ):
        with pytest.raises(UserError, match=reason):
            answered(engine, request)
        watcher.wait_past(answered(engine, Translate(texts=(TEXT,)))[0].step)
    assert not learning.done() and watcher.states()[-1] == "learning"
    assert watcher.all(Trouble) == [] and watcher.all(RunFinished) == []
    answered(engine, Stop())
