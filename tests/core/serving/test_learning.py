"""A run from Prepare to its end, and that steps, pauses and questions change no bit of it."""

from __future__ import annotations

import errno
import platform
import shutil
import sys
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.answers.head_ablation import HeadId
from core.engine import Engine
from core.errors import UserError
from core.events import CheckpointSaved, Prepared, ProbeDone, Progress, RunFinished, Trouble, ValidationDone
from core.requests import (
    AddSentence,
    ChangeSetting,
    Evaluate,
    Finish,
    Learn,
    LeaveOutHeads,
    OpenRun,
    Pause,
    Prepare,
    SearchBeam,
    SetPace,
    Start,
    Stop,
    Translate,
)
from core.run_files.environment import code_revision
from core.run_folder import RunFolder
from core.training import trainer
from core.training.validation import score_split
from core.version import version
from tests.core.serving.running import TEXT, assert_same_weights, final_weights, finished_run
from tests.core.watcher import SECONDS, Watcher, answered, begun, tiny_config

pytestmark = pytest.mark.usefixtures("tiny_data_at_hand")


def test_a_run_goes_from_prepare_to_finished(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    prepared = answered(engine, Prepare(config=tiny_config()))
    assert prepared.run is None
    assert prepared.num_parameters > 1000
    assert watcher.wait(ProbeDone).probe.step == 0
    run = answered(engine, Start(runs_dir=tmp_path))
    assert watcher.states() == ["preparing", "ready"]  # Start only creates the folder
    answered(engine, Learn())
    finished = watcher.wait(RunFinished)
    assert (finished.run, finished.step, finished.reason) == (run, 60, "max_steps")
    assert {"valid/loss", "valid/exact_match", "train/loss"} <= finished.metrics.keys()
    assert watcher.states() == ["preparing", "ready", "learning", "finished"]
    assert watcher.steps() == list(range(1, 61))
    assert [done.step for done in watcher.all(ValidationDone)] == [20, 40, 60]
    folder = RunFolder.open(run)
    assert (folder.state.state, folder.state.reason, folder.state.pid) == ("finished", "max_steps", None)
    assert folder.metrics()[0].tolist() == list(range(1, 61))
    assert folder.validation_steps() == [20, 40, 60]
    assert folder.probe_steps()[:6] == [0, 1, 2, 3, 5, 8]
    require_environment(folder.environment(), prepared, folder.vocabulary()["fingerprint"])


def require_environment(environment: dict[str, Any], prepared: Prepared, fingerprint: str) -> None:
    """Check that a run's environment.json says with what, where and how it was made."""
    training, libraries = prepared.config.training, environment["libraries"]
    assert (environment["headlight"], environment["python"]) == (version(), platform.python_version())
    assert (libraries["torch"], libraries["numpy"]) == (metadata.version("torch"), np.__version__)
    assert (environment["device"], environment["num_threads"]) == (training.device, training.num_threads)
    assert (environment["command_line"], environment["code_revision"]) == (sys.argv, code_revision())
    assert environment["data_fingerprint"] == fingerprint
    assert environment["picked"] == prepared.picked and prepared.picked.startswith("precision: ")


def test_a_finished_run_can_train_more_steps(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    run = finished_run(engine, tmp_path)
    answered(engine, Learn(steps=40))
    assert [event.step for event in watcher.all(RunFinished)] == [60, 100]
    assert watcher.steps() == list(range(1, 101))
    assert RunFolder.open(run).state.state == "finished"


@pytest.mark.parametrize("metric", ["valid/loss", "valid/exact_match"])
def test_the_last_step_is_saved_once(engine: Engine, watcher: Watcher, tmp_path: Path, metric: str) -> None:
    """Whether or not it is the best: with exact_match, no step is before an output is right."""
    answered(engine, Prepare(config=tiny_config(max_steps=40, checkpoint_every=30, best_metric=metric)))
    answered(engine, Start(runs_dir=tmp_path))
    answered(engine, Learn())
    last = [saved for saved in watcher.all(CheckpointSaved) if saved.step == 40]
    assert [saved.is_best for saved in last] == [metric == "valid/loss"]


def test_changes_since_the_last_checkpoint_are_saved_when_a_run_ends(
    engine: Engine, watcher: Watcher, tmp_path: Path
) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=20))
    answered(engine, ChangeSetting(key="training.label_smoothing", value=0.25))
    answered(engine, Finish())
    assert [saved.step for saved in watcher.all(CheckpointSaved)].count(20) == 2
    assert "0.25" in str(RunFolder.open(run).checkpoint(20).state["changes"])


def test_finish_validates_saves_and_ends(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=7))
    assert answered(engine, Finish()) == run
    finished = watcher.wait(RunFinished)
    assert (finished.step, finished.reason) == (7, "finished_by_user")
    assert finished.metrics["valid/loss"] > 0
    assert RunFolder.open(run).checkpoint_steps()[-1] == 7


def test_finish_ends_an_opened_run(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=7))
    answered(engine, Stop())
    answered(engine, OpenRun(run=run))
    assert answered(engine, Finish()) == run
    assert watcher.all(RunFinished)[-1].reason == "finished_by_user" and watcher.states()[-1] == "finished"
    assert (RunFolder.open(run).state.state, RunFolder.open(run).state.pid) == ("finished", None)
    assert answered(engine, Finish()) is None  # it has already ended


def test_a_released_run_is_probed_but_not_written(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    run = begun(engine, tmp_path, probe_every=2)
    answered(engine, Learn(steps=20))
    count = 1 + len(watcher.all(ProbeDone)[0].probe.sentences)
    before = {path: path.read_bytes() for path in (run / "probes").iterdir()}
    engine.ask(AddSentence(source=TEXT))
    answered(engine, Stop())
    last = watcher.wait(ProbeDone, lambda event: event.probe.step == 2 and len(event.probe.sentences) == count)
    assert not last.is_stored
    stored = {one.probe.step for one in watcher.all(ProbeDone) if one.is_stored and len(one.probe.sentences) == count}
    assert {int(path.stem) for path, data in before.items() if path.read_bytes() != data} == stored


def test_early_stopping_ends_a_run(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    tiny_rate = {"name": "sgd", "learning_rate": 1e-9}
    begun(engine, tmp_path, optimizer=tiny_rate, early_stopping={"patience": 1}, validate_every=2, max_steps=1000)
    answered(engine, Learn())
    assert watcher.wait(RunFinished).reason == "early_stopping"
    assert answered(engine, Pause()) < 1000


def test_a_run_that_stopped_early_continues_on_request(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    tiny_rate = {"name": "sgd", "learning_rate": 1e-9}
    run = begun(engine, tmp_path, optimizer=tiny_rate, early_stopping={"patience": 1}, validate_every=2, max_steps=1000)
    answered(engine, Learn())
    stopped_at = watcher.wait(RunFinished).step
    answered(engine, Learn())
    finished = watcher.all(RunFinished)[-1]
    assert (finished.reason, finished.step) == ("early_stopping", stopped_at + 2)
    answered(engine, OpenRun(run=run))
    answered(engine, Learn())
    assert watcher.all(RunFinished)[-1].step == stopped_at + 4


def test_a_run_that_stopped_early_continues_after_a_crash(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    tiny_rate = {"name": "sgd", "learning_rate": 1e-9}
    run = begun(engine, tmp_path, optimizer=tiny_rate, early_stopping={"patience": 1}, validate_every=2, max_steps=1000)
    answered(engine, Learn())
    stopped_at = watcher.wait(RunFinished).step
    answered(engine, SetPace(steps_per_second=0.1))
    learning = engine.ask(Learn())
    answered(engine, SetPace(steps_per_second=0.1))  # answered once the run is learning
    killed = shutil.copytree(run, tmp_path / "killed")
    RunFolder.open(killed).update(pid=None)
    answered(engine, Pause())
    learning.result(SECONDS)
    answered(engine, SetPace(steps_per_second=None))
    answered(engine, OpenRun(run=killed))
    answered(engine, Learn())
    finished = watcher.all(RunFinished)[-1]
    assert (finished.reason, finished.step) == ("early_stopping", stopped_at + 2)


def test_a_run_that_diverges_keeps_its_last_good_checkpoint(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    diverging = {"name": "sgd", "learning_rate": 100.0, "momentum": 0.99}
    constant = {"name": "constant", "warmup_steps": 0}
    run = begun(engine, tmp_path, optimizer=diverging, schedule=constant, max_grad_norm=None, max_steps=100_000)
    answered(engine, Learn())
    finished = watcher.wait(RunFinished)
    assert finished.reason == "diverged"
    assert f"at step {finished.step + 1}" in watcher.wait(Trouble).sentence
    assert RunFolder.open(run).state.state == "failed"
    assert all(np.isfinite(array).all() for array in final_weights(run).values())


def test_single_steps_end_with_the_tasks_due_there(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    begun(engine, tmp_path, probe_every=40)
    for step, count in ((1, 1), (11, 10), (20, 9), (60, 40)):
        answered(engine, Learn(steps=count))
        assert answered(engine, Pause()) == step
        assert watcher.steps()[-1] == step
        assert watcher.all(ProbeDone)[-1].probe.step == step
    assert [done.step for done in watcher.all(ValidationDone)] == [20, 40, 60]
    assert watcher.states()[-1] == "finished"


@pytest.mark.parametrize("steps", [0, -1])
def test_fewer_than_one_step_are_refused(engine: Engine, watcher: Watcher, tmp_path: Path, steps: int) -> None:
    begun(engine, tmp_path)
    with pytest.raises(UserError, match=f"expected at least 1 more step, given {steps}"):
        answered(engine, Learn(steps=steps))
    assert watcher.steps() == [] and watcher.states()[-1] == "ready"


def test_a_run_is_paused_if_it_cannot_take_other_steps_than_it_was_taking(
    engine: Engine, watcher: Watcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(engine, tmp_path, max_steps=100_000)
    learning = engine.ask(Learn())
    watcher.wait_past(1)

    def find_no_room(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full, pytest.raises(UserError, match="No space left"):
        full.setattr(RunFolder, "update", find_no_room)
        answered(engine, Learn(steps=1))
    assert learning.done() and watcher.states()[-1] == "paused"
    answered(engine, Learn(steps=1))
    assert watcher.states()[-2:] == ["learning", "paused"]


def test_pausing_does_not_wait_for_a_validation(
    engine: Engine, watcher: Watcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_under_way, is_asked = threading.Event(), threading.Event()

    def score(*arguments: Any) -> Generator[Progress, None, Any]:
        is_under_way.set()
        assert is_asked.wait(SECONDS)
        return score_split(*arguments)

    monkeypatch.setattr(trainer, "score_split", score)
    begun(engine, tmp_path, max_steps=5, validate_every=5)
    learning = engine.ask(Learn())
    assert is_under_way.wait(SECONDS)
    pause = engine.ask(Pause())
    is_asked.set()
    assert pause.result(SECONDS) == 5
    learning.result(SECONDS)
    assert watcher.states()[-1] == "paused" and watcher.all(ValidationDone) == []
    answered(engine, Learn())
    assert [done.step for done in watcher.all(ValidationDone)] == [5]
    assert watcher.all(RunFinished)[-1].step == 5


def test_the_pace_delays_steps_and_nothing_else(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    begun(engine, tmp_path, max_steps=1000)
    answered(engine, Learn(steps=2))
    answered(engine, SetPace(steps_per_second=0.01))  # step 4 is delayed longer than anything else takes
    learning = engine.ask(Learn())
    watcher.wait(ProbeDone, lambda event: event.probe.step == 3)
    answered(engine, Translate(texts=(TEXT,)))
    assert watcher.steps() == [1, 2, 3] and not learning.done()
    started = time.monotonic()
    answered(engine, SetPace(steps_per_second=20.0))
    watcher.wait(ProbeDone, lambda event: event.probe.step >= 13)
    assert time.monotonic() - started > 9 / 20
    answered(engine, SetPace(steps_per_second=None))
    engine.ask(Learn())
    watcher.wait(ProbeDone, lambda event: event.probe.step >= 60)


def test_an_extremely_slow_pace_is_accepted_and_can_be_ended(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    begun(engine, tmp_path)
    answered(engine, SetPace(steps_per_second=1e-300))
    learning = engine.ask(Learn())
    watcher.wait(ProbeDone, lambda event: event.probe.step == 1)
    answered(engine, SetPace(steps_per_second=None))
    learning.result(SECONDS)
    assert watcher.steps()[-1] == 60


def test_added_sentences_are_probed_at_stored_steps_while_the_pace_delays_steps(
    engine: Engine, watcher: Watcher, tmp_path: Path
) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=40))
    kept = RunFolder.open(run).snapshot_steps()
    answered(engine, SetPace(steps_per_second=0.001))  # the second step is delayed longer than anything else takes
    engine.ask(Learn())
    answered(engine, AddSentence(source=TEXT))
    for step in kept:
        watcher.wait(ProbeDone, shows(step, TEXT))
    assert len(kept) > 5 and watcher.steps()[-1] <= 41


def shows(step: int, text: str) -> Callable[[ProbeDone], bool]:
    """A condition on probes: being of this step, with this sentence."""
    return lambda event: event.probe.step == step and text in [one.source for one in event.probe.sentences]


def test_pauses_probes_and_questions_change_no_bit(tmp_path: Path) -> None:
    with Engine() as other_engine:
        undisturbed = finished_run(other_engine, tmp_path)
    without_a_head = LeaveOutHeads(source=TEXT, reference=TEXT, heads=(HeadId("cross", 0, 1),))
    watcher = Watcher()
    with Engine([watcher]) as engine:
        engine.ask(SetPace(steps_per_second=200))
        disturbed = begun(engine, tmp_path)
        answered(engine, Learn(steps=3))
        engine.ask(Learn())
        answered(engine, Translate(texts=(TEXT,), with_attention=True))
        answered(engine, AddSentence(source="4 3 2"))
        answered(engine, without_a_head)
        answered(engine, Translate(texts=(TEXT,), run=undisturbed))
        answered(engine, Translate(texts=(TEXT,), prefix=("<unk>",), references=(TEXT,), with_attention=True))
        answered(engine, SearchBeam(source=TEXT, beam_size=3, length_penalty=0.6))
        answered(engine, Pause())
        answered(engine, Translate(texts=(TEXT,), step=1))
        assert answered(engine, replace(without_a_head, step=1)).step == 1
        answered(engine, Evaluate(split="test"))
        answered(engine, Learn())
    assert_same_weights(undisturbed, disturbed)
