"""The session, whose work these tests advance step by step, as the engine's thread cannot be held at a given point."""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import WorkAborted
from core.events import Prepared, Progress, RunFinished, StateChanged, Trouble
from core.plugins_host.errors import PluginError
from core.plugins_host.host import PluginHost
from core.requests import Prepare, Start
from core.run_folder import RunFolder
from core.serving.session import Session
from tests.core.watcher import Watcher, tiny_config

DIVERGING = {
    "optimizer": {"name": "sgd", "learning_rate": 100.0, "momentum": 0.99},
    "schedule": {"name": "constant", "warmup_steps": 0},
    "max_grad_norm": None,
    "max_steps": 1000,
    "checkpoint_every": 5,
}


@pytest.fixture
def session(watcher: Watcher, shared_host: PluginHost, tmp_path: Path) -> Iterator[Session]:
    made = Session(watcher, shared_host, tmp_path / "cache")
    yield made
    made.close()


def begin(session: Session, runs_dir: Path, **training: Any) -> Path:
    """Prepare and start a run without training it."""
    for _ in session.prepare(Prepare(config=tiny_config(**training))):
        pass
    return session.start(Start(runs_dir=runs_dir))


def test_building_the_model_is_reported_as_the_last_stage(session: Session) -> None:
    events = [one for one in session.prepare(Prepare(config=tiny_config())) if isinstance(one, Progress | Prepared)]
    before, built = events[-2:]
    assert isinstance(before, Progress) and before.stage == "building the model" and isinstance(built, Prepared)


def test_an_error_while_a_run_starts_leaves_no_folder(session: Session, tmp_path: Path) -> None:
    for _ in session.prepare(Prepare(config=tiny_config())):
        pass
    trainer = session.run.trainer
    trainer.data = replace(trainer.data, limits={"valid/loss": math.inf})  # JSON cannot represent it
    with pytest.raises(ValueError, match="not JSON compliant"):
        session.start(Start(runs_dir=tmp_path / "runs"))
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_pause_that_cannot_write_still_pauses(session: Session, watcher: Watcher, tmp_path: Path) -> None:
    run = begin(session, tmp_path / "runs")
    learning = session.learn(None)
    while session.step < 5:
        next(learning)
    learning.close()
    (run / "metrics.jsonl").rename(run / "aside")
    (run / "metrics.jsonl").mkdir()  # nothing can be appended, as on a full disk
    with pytest.raises(WorkAborted, match="cannot be written"):
        session.pause()
    assert session.state == watcher.states()[-1] == "paused" and session.step == 5
    reported = watcher.all(RunFinished)[-1]
    metrics = dict(reported.metrics)
    assert (len(watcher.all(Trouble)), reported.reason) == (1, "disk")
    (run / "metrics.jsonl").rmdir()
    (run / "aside").rename(run / "metrics.jsonl")
    for _ in session.learn(None):
        pass
    assert RunFolder.open(run).metrics()[0].tolist() == list(range(1, 61))
    assert reported.metrics == metrics  # those of step 5, also now that it went on


def test_the_log_says_that_a_run_was_stopped(session: Session, tmp_path: Path) -> None:
    run = begin(session, tmp_path / "runs")
    learning = session.learn(None)
    while session.step < 5:
        next(learning)
    learning.close()
    session.stop()
    assert (run / "log.txt").read_text(encoding="utf-8").endswith("stopped at step 5\n")


def test_a_finished_run_stays_finished_when_it_is_released_to_processes_that_may_not_start(
    session: Session, tmp_path: Path
) -> None:
    run = begin(session, tmp_path / "runs", max_steps=3)
    for _ in session.learn(None):
        pass
    assert session.release_run() == run
    state = RunFolder.open(run).state
    assert (state.state, state.reason, state.pid) == ("finished", "max_steps", None)


def test_a_run_stopped_by_its_plugin_keeps_that_reason_until_it_continues(
    session: Session, watcher: Watcher, tmp_path: Path
) -> None:
    run = begin(session, tmp_path / "runs")
    learning = session.learn(None)
    while session.step < 5:
        next(learning)
    learning.close()
    session.pause_after_failure(PluginError("Plugin 'bad' failed: KeyError."))
    assert [line[20:] for line in (run / "log.txt").read_text(encoding="utf-8").splitlines()[-2:]] == [
        "Plugin 'bad' failed: KeyError.",
        "paused at step 5",
    ]
    session.stop()
    state = RunFolder.open(run).state
    assert (state.state, state.reason) == ("stopped", "plugin")
    assert [finished.reason for finished in watcher.all(RunFinished)] == ["plugin", "plugin"]
    for _ in session.learn(1):
        break
    session.stop()
    assert RunFolder.open(run).state.reason == "stopped"


def test_what_keeps_a_plugin_host_from_starting_is_not_blamed_on_the_run(session: Session, tmp_path: Path) -> None:
    begin(session, tmp_path / "runs")
    error = session.report(BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)))
    assert str(error).startswith("The system lets Headlight start no other thread or process: ")
    python_is_gone = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "/removed/python")
    assert session.report(python_is_gone) is python_is_gone


def test_a_run_on_a_drive_that_fails_can_be_left(
    session: Session, watcher: Watcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, stat = begin(session, tmp_path / "runs"), Path.stat

    def fail_in_run(path: Path, **options: Any) -> os.stat_result:
        if path.is_relative_to(run):
            raise OSError(errno.EIO, "Input/output error")
        return stat(path, **options)

    with monkeypatch.context() as failing:
        failing.setattr(Path, "stat", fail_in_run)
        for _ in session.prepare(Prepare(config=tiny_config())):
            pass
    assert session.state == "ready"
    assert watcher.wait(Trouble).sentence == f"{run} is gone; its last steps could not be saved."


def test_a_stop_right_after_a_step_that_is_not_finite_ends_the_run_as_diverged(
    session: Session, watcher: Watcher, tmp_path: Path
) -> None:
    run = begin(session, tmp_path / "runs", **DIVERGING)
    learning = session.learn(None)
    while not session.run.trainer.has_diverged:
        next(learning)
    learning.close()
    assert session.stop() == run
    folder, finished = RunFolder.open(run), watcher.all(RunFinished)[-1]
    assert (finished.reason, folder.state.state, folder.state.reason) == ("diverged", "failed", "diverged")
    assert finished.step == watcher.all(StateChanged)[-1].step == folder.last_trained_step()
    assert f"at step {finished.step + 1}" in watcher.wait(Trouble).sentence
    assert watcher.wait(Trouble).sentence in (run / "log.txt").read_text(encoding="utf-8")
    last = folder.checkpoint_steps()[-1]
    assert last <= finished.step and last % 5 == 0  # there is no checkpoint beyond those that were due
    assert all(np.isfinite(array).all() for array in folder.checkpoint(last).model.values())
