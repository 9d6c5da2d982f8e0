"""The summary of a run in lists: its state, the process that writes it, its best values."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest

from core.config import RunConfig
from core.errors import UserError
from core.events import SettingChanged, ValidationDone
from core.run_folder import RunFolder
from core.runs.run_summary import best_value, summarise


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """A run written by this process, with three steps and a validation."""
    folder = RunFolder.create_at(tmp_path / "run")
    folder.write_config(RunConfig.model_validate({"dataset": {"plugin": "copy_task"}, "name": "mine"}))
    folder.append_metrics(1, {"train/loss": np.array([3.0, 2.0, 1.0]), "time": np.array([1.0, 2.0, 3.0])})
    folder.write_validation(ValidationDone(step=2, metrics={"valid/loss": 0.5}, sentences=(), is_best=True))
    folder.update(state="learning", last_step=2, best_step=2, best_value=0.5)
    return folder


def test_the_state_depends_on_the_process_that_writes_the_run(run: RunFolder) -> None:
    assert (summarise(run).state, summarise(run).writer) == ("learning", None)  # this very process
    run.update(pid=os.getppid(), pid_started=None)
    assert (summarise(run).state, summarise(run).writer) == ("learning", f"process {os.getppid()}")
    run.update(pid=2**22 + 1)  # above the largest process ID of Linux
    assert (summarise(run).state, summarise(run).writer) == ("interrupted", None)
    run.release("finished", "max_steps")
    assert (summarise(run).state, summarise(run).reason) == ("finished", "max_steps")


def test_the_best_value_of_an_older_run_belongs_to_the_metric_set_at_that_step(run: RunFolder) -> None:
    assert run.state.best_metric is None
    for step, metric in ((1, "valid/bleu"), (2, "valid/chrf")):
        run.append_setting(SettingChanged(step=step, key="training.best_metric", value=metric))
    assert summarise(run).best_metric == "valid/bleu"
    run.update(best_metric="valid/loss")
    assert summarise(run).best_metric == "valid/loss"
    run.update(best_metric=None, best_step=None, best_value=None)
    assert summarise(run).best_metric == "valid/loss", "without a best step, the metric is that of the config"


def test_best_value_is_the_extreme_of_all_validations() -> None:
    validations = {1: {"a": 2.0}, 2: {"a": math.nan}, 3: {"a": 1.0}, 4: {"b": 7.0}}
    assert best_value(validations, "a", smallest=True) == 1.0
    assert best_value(validations, "a", smallest=False) == 2.0
    assert best_value(validations, "c", smallest=True) is None


def test_validations_and_the_last_step_are_read_from_the_metrics(run: RunFolder) -> None:
    assert run.validation_metrics() == {2: {"valid/loss": 0.5}}
    assert run.last_trained_step() == 2  # the last line is a validation
    run.append_metrics(4, {"train/loss": np.ones(500), "time": np.ones(500)})
    assert run.last_trained_step() == 503
    with (run.path / "metrics.jsonl").open("ab") as file:
        file.write(b'{"step": 504, "tra')  # torn by a crash
    assert run.last_trained_step() == 503


def test_a_damaged_validation_is_named(run: RunFolder) -> None:
    run.release("stopped")
    path = run.path / "metrics.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"valid/loss": 0.5', b'"valid/loss": 0.4'))
    with pytest.raises(UserError, match=r"metrics.jsonl \(its validations\): line 1 is damaged"):
        run.validation_metrics()
