"""The engine, driven for real: its one thread, every request in every state, and runs that survive anything."""

from __future__ import annotations

import errno
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from concurrent.futures import CancelledError
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.answers.left_out import HeadPlace
from core.doctor.findings import Bounds
from core.engine import Engine
from core.errors import UserError
from core.events import (
    CheckpointSaved,
    Event,
    Prepared,
    ProbeDone,
    Progress,
    RunFinished,
    SettingChanged,
    StateChanged,
    StepsDone,
    Trouble,
    ValidationDone,
)
from core.history import History
from core.machine.environment import code_revision
from core.processes.records import REQUESTS
from core.requests import (
    AddSentence,
    Branch,
    ChangeSetting,
    CheckPlugin,
    Close,
    DissectHead,
    Evaluate,
    FindUnreadable,
    Finish,
    Learn,
    LeaveOutHeads,
    LocateData,
    MakeMasks,
    MoveRun,
    OpenRun,
    Pause,
    Prepare,
    ReloadPlugins,
    Request,
    SearchBeam,
    SetPace,
    SetProcesses,
    Start,
    Stop,
    Translate,
    Translation,
)
from core.run_folder import RunFolder
from core.serving import session
from core.training import trainer
from tests.core.examples import fail_to_read
from tests.core.watcher import SECONDS, Watcher, answered, begun, tiny_config

pytestmark = pytest.mark.usefixtures("tiny_data_at_hand")

ROOT = Path(__file__).parents[2]
TEXT = "1 2 3"


@pytest.fixture
def watcher() -> Watcher:
    return Watcher()


@pytest.fixture
def engine(watcher: Watcher) -> Iterator[Engine]:
    with Engine([watcher]) as engine:
        yield engine


def final_weights(run: Path, step: int | None = None) -> dict[str, np.ndarray]:
    folder = RunFolder.open(run)
    return dict(folder.checkpoint(folder.checkpoint_step("last") if step is None else step).model)


def assert_same_weights(one: Path, other: Path) -> None:
    mine, theirs = final_weights(one), final_weights(other)
    assert mine.keys() == theirs.keys()
    for name, array in mine.items():
        np.testing.assert_array_equal(array, theirs[name], err_msg=name, strict=True)


def whole_run(engine: Engine, runs_dir: Path, **training: int) -> Path:
    run = begun(engine, runs_dir, **training)
    answered(engine, Learn())
    return run


# -- a run from beginning to end -----------------------------------------------------------------------------------


def test_a_run_from_prepare_to_finished(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    prepared = answered(engine, Prepare(config=tiny_config()))
    assert prepared.run is None
    assert prepared.num_parameters > 1000
    assert watcher.wait(ProbeDone).probe.step == 0
    run = answered(engine, Start(runs_dir=tmp_path))
    assert watcher.states() == ["preparing", "ready"]  # Start makes the folder, Learn learns
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
    assert folder.environment()["data_fingerprint"] == folder.vocabulary()["fingerprint"]
    assert {"python", "libraries", "device", "num_threads", "command_line"} <= folder.environment().keys()
    assert folder.environment()["code_revision"] == code_revision()
    assert prepared.picked == folder.environment()["picked"]
    assert prepared.picked.startswith("precision: ")


def test_more_steps_after_the_end(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    run = whole_run(engine, tmp_path)
    answered(engine, Learn(steps=40))
    assert [event.step for event in watcher.all(RunFinished)] == [60, 100]
    assert watcher.steps() == list(range(1, 101))
    assert RunFolder.open(run).state.state == "finished"


@pytest.mark.parametrize("metric", ["valid/loss", "valid/exact_match"])
def test_the_last_step_is_saved_once(engine: Engine, watcher: Watcher, tmp_path: Path, metric: str) -> None:
    """Also where it is not the best one, as none is before an output is right."""
    answered(engine, Prepare(config=tiny_config(max_steps=40, checkpoint_every=30, best_metric=metric)))
    answered(engine, Start(runs_dir=tmp_path))
    answered(engine, Learn())
    last = [saved for saved in watcher.all(CheckpointSaved) if saved.step == 40]
    assert [saved.is_best for saved in last] == [metric == "valid/loss"]


def test_what_was_changed_since_its_last_checkpoint_is_saved_as_a_run_ends(
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


def test_finish_ends_an_opened_run_too(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=7))
    answered(engine, Stop())
    answered(engine, OpenRun(run=run))
    assert answered(engine, Finish()) == run
    assert watcher.all(RunFinished)[-1].reason == "finished_by_user" and watcher.states()[-1] == "finished"
    assert (RunFolder.open(run).state.state, RunFolder.open(run).state.pid) == ("finished", None)
    assert answered(engine, Finish()) is None  # it has ended already


def test_a_run_that_was_let_go_is_probed_and_not_written_any_more(
    engine: Engine, watcher: Watcher, tmp_path: Path
) -> None:
    run = begun(engine, tmp_path, probe_every=2)
    answered(engine, Learn(steps=20))
    with_it = 1 + len(watcher.all(ProbeDone)[0].probe.sentences)
    before = {path: path.read_bytes() for path in (run / "probes").iterdir()}
    engine.ask(AddSentence(source=TEXT))
    answered(engine, Stop())
    last = watcher.wait(ProbeDone, lambda event: event.probe.step == 2 and len(event.probe.sentences) == with_it)
    assert not last.is_stored
    stored = {one.probe.step for one in watcher.all(ProbeDone) if one.is_stored and len(one.probe.sentences) == with_it}
    assert {int(path.stem) for path, data in before.items() if path.read_bytes() != data} == stored


def test_early_stopping_ends_a_run(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    hopeless = {"name": "sgd", "learning_rate": 1e-9}
    begun(engine, tmp_path, optimizer=hopeless, early_stopping={"patience": 1}, validate_every=2, max_steps=1000)
    answered(engine, Learn())
    assert watcher.wait(RunFinished).reason == "early_stopping"
    assert answered(engine, Pause()) < 1000


def test_a_run_that_stopped_early_goes_on_when_it_is_asked_to(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    hopeless = {"name": "sgd", "learning_rate": 1e-9}
    run = begun(engine, tmp_path, optimizer=hopeless, early_stopping={"patience": 1}, validate_every=2, max_steps=1000)
    answered(engine, Learn())
    stopped_at = watcher.wait(RunFinished).step
    answered(engine, Learn())
    further = watcher.all(RunFinished)[-1]
    assert (further.reason, further.step) == ("early_stopping", stopped_at + 2)
    answered(engine, OpenRun(run=run))
    answered(engine, Learn())
    assert watcher.all(RunFinished)[-1].step == stopped_at + 4


def test_a_run_that_diverges_keeps_its_last_good_checkpoint(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    wild = {"name": "sgd", "learning_rate": 100.0, "momentum": 0.99}
    constant = {"name": "constant", "warmup_steps": 0}
    run = begun(engine, tmp_path, optimizer=wild, schedule=constant, max_grad_norm=None, max_steps=100_000)
    answered(engine, Learn())
    finished = watcher.wait(RunFinished)
    assert finished.reason == "diverged"
    assert f"at step {finished.step + 1}" in watcher.wait(Trouble).sentence
    assert RunFolder.open(run).state.state == "failed"
    assert all(np.isfinite(array).all() for array in final_weights(run).values())


# -- steps, pauses, pace -------------------------------------------------------------------------------------------


def test_single_steps_end_with_what_is_due_there(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    begun(engine, tmp_path, probe_every=40)
    for step, count in ((1, 1), (11, 10), (20, 9), (60, 40)):
        answered(engine, Learn(steps=count))
        assert answered(engine, Pause()) == step
        assert watcher.steps()[-1] == step
        assert watcher.all(ProbeDone)[-1].probe.step == step
    assert [done.step for done in watcher.all(ValidationDone)] == [20, 40, 60]
    assert watcher.states()[-1] == "finished"


def test_half_a_character_is_not_followed_and_the_run_is_saved(engine: Engine, tmp_path: Path) -> None:
    run = begun(engine, tmp_path)
    with pytest.raises(UserError, match="holds half a character"):
        answered(engine, AddSentence(source="1 \ud83d"))
    answered(engine, Learn(steps=3))
    answered(engine, Stop())
    assert RunFolder.open(run).checkpoint_steps()[-1] == 3


@pytest.mark.parametrize("steps", [0, -1])
def test_fewer_steps_than_one_are_refused_and_none_is_taken(
    engine: Engine, watcher: Watcher, tmp_path: Path, steps: int
) -> None:
    begun(engine, tmp_path)
    with pytest.raises(UserError, match=f"expected at least 1 more step, given {steps}"):
        answered(engine, Learn(steps=steps))
    assert watcher.steps() == [] and watcher.states()[-1] == "ready"


def test_pausing_does_not_wait_for_a_validation(
    engine: Engine, watcher: Watcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score_split, is_under_way, is_asked = trainer.score_split, threading.Event(), threading.Event()

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


def test_the_pace_holds_back_steps_and_nothing_else(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    begun(engine, tmp_path, max_steps=1000)
    answered(engine, Learn(steps=2))
    answered(engine, SetPace(steps_per_second=0.01))  # nothing takes as long as step 4 is held back
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


# -- the same weights, whatever happens -----------------------------------------------------------------------------


def test_pauses_probes_questions_and_watchers_change_no_bit(tmp_path: Path) -> None:
    with Engine() as alone:
        plain = whole_run(alone, tmp_path)
    without_a_head = LeaveOutHeads(source=TEXT, reference=TEXT, heads=(HeadPlace("cross", 0, 1),))
    watcher = Watcher()
    with Engine([watcher]) as engine:
        engine.ask(SetPace(steps_per_second=200))
        disturbed = begun(engine, tmp_path)
        answered(engine, Learn(steps=3))
        engine.ask(Learn())
        answered(engine, Translate(texts=(TEXT,), with_attention=True))
        answered(engine, AddSentence(source="4 3 2"))
        answered(engine, without_a_head)
        answered(engine, Translate(texts=(TEXT,), run=plain))
        answered(engine, Translate(texts=(TEXT,), prefix=("<unk>",), references=(TEXT,), with_attention=True))
        answered(engine, SearchBeam(source=TEXT, beam_size=3, length_penalty=0.6))
        answered(engine, Pause())
        answered(engine, Translate(texts=(TEXT,), step=1))
        assert answered(engine, replace(without_a_head, step=1)).step == 1
        answered(engine, Evaluate(split="test"))
        answered(engine, Learn())
    assert_same_weights(plain, disturbed)


def test_a_run_left_and_opened_again_gives_the_same_weights(tmp_path: Path) -> None:
    with Engine() as engine:
        plain = whole_run(engine, tmp_path)
        stopped = begun(engine, tmp_path)
        answered(engine, Learn(steps=33))
        assert answered(engine, Stop()) == stopped
        assert RunFolder.open(stopped).state.state == "stopped"
    watcher = Watcher()
    with Engine([watcher]) as engine:
        prepared = answered(engine, OpenRun(run=stopped))
        assert prepared.run == stopped
        answered(engine, Learn())
    assert watcher.steps() == list(range(34, 61))
    assert RunFolder.open(stopped).metrics()[0].tolist() == list(range(1, 61))
    assert_same_weights(plain, stopped)


def test_what_came_after_the_checkpoint_of_the_same_step_is_forgotten_with_it(tmp_path: Path) -> None:
    killed, rate = tmp_path / "killed", "training.optimizer.learning_rate"

    def kill(event: Event) -> None:
        """What a kill would leave at this moment is a copy made now."""
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
    with Engine([history.take]) as engine:
        answered(engine, OpenRun(run=killed))
        assert len(history.settings_changed) == 2 and list(history.best_steps) == [7]
        answered(engine, Learn(steps=1))
    assert [changed.value for changed in folder.settings_changed()] == [0.25]
    assert folder.metrics()[1]["train/learning_rate"][-1] == 0.25 and not folder.validation_metrics()
    assert history.settings_changed == folder.settings_changed()
    assert not history.validations and not history.best_steps and "valid/loss" not in history.names


# -- translating and my sentence -----------------------------------------------------------------------------------


def test_translating_with_the_weights_of_any_kept_step(engine: Engine, tmp_path: Path) -> None:
    run = begun(engine, tmp_path, max_steps=200, optimizer={"name": "adam", "learning_rate": 0.01})
    at_first = answered(engine, Translate(texts=(TEXT,), with_attention=True))[0]
    assert at_first.step == 0
    answered(engine, Learn())
    now = answered(engine, Translate(texts=(TEXT, "5 zebra 5"), with_attention=True))
    assert [one.step for one in now] == [200, 200]
    assert now[1].unknown == ("zebra",)
    again = answered(engine, Translate(texts=(TEXT,), step=0, with_attention=True))[0]
    assert again.step == 0
    assert again.sentence is not None and at_first.sentence is not None and now[0].sentence is not None
    np.testing.assert_array_equal(again.sentence.encoder_self, at_first.sentence.encoder_self)
    assert (again.sentence.encoder_self != now[0].sentence.encoder_self).any()
    kept = RunFolder.open(run).snapshot_steps()
    asked = kept[3] + 1 if kept[3] + 1 not in kept else kept[3]
    assert answered(engine, Translate(texts=(TEXT,), step=asked))[0].step == kept[3]
    with pytest.raises(UserError, match="empty"):
        answered(engine, Translate(texts=("",)))
    with_another_run(engine, run, now[0], again)


def with_another_run(engine: Engine, run: Path, now: Translation, first: Translation) -> None:
    """The run that was at hand, asked while another one is prepared, writes what it wrote itself."""
    answered(engine, Prepare(config=tiny_config(seed=9)))
    (best,) = answered(engine, Translate(texts=(TEXT,), run=run))
    assert best.step == RunFolder.open(run).checkpoint_step("best")
    for step, known in ((200, now), (0, first)):
        (other,) = answered(engine, Translate(texts=(TEXT,), step=step, run=run, with_attention=True))
        assert (other.step, other.output) == (known.step, known.output)
        assert other.sentence is not None and known.sentence is not None
        np.testing.assert_array_equal(other.sentence.encoder_self, known.sentence.encoder_self)
    with pytest.raises(UserError, match="is not a run"):
        answered(engine, Translate(texts=(TEXT,), run=run.parent))


def test_another_run_that_was_learnt_anew_to_the_same_step_is_read_anew(engine: Engine, tmp_path: Path) -> None:
    run = whole_run(engine, tmp_path, max_steps=40)
    answered(engine, Prepare(config=tiny_config(seed=9)))
    ask = Translate(texts=(TEXT,), run=run, step=40, with_attention=True)
    before = answered(engine, ask)[0].sentence
    shutil.rmtree(run / "checkpoints" / "000040")  # another process goes on from step 20, at another rate
    with Engine() as other:
        answered(other, OpenRun(run=run, changes=(("training.optimizer.learning_rate", 0.05),)))
        answered(other, Learn())
    after = answered(engine, ask)[0].sentence
    assert before is not None and after is not None
    assert (before.encoder_self != after.encoder_self).any()


def test_my_sentence_is_followed_on_and_back_through_the_snapshots(
    engine: Engine, watcher: Watcher, tmp_path: Path
) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=30))
    folder = RunFolder.open(run)
    (folder.path / "probes" / "000030.safetensors").unlink()  # as where a step is between two probes
    answered(engine, AddSentence(source="4 3 2"))
    assert folder.probe(30).sentences[-1].source == "4 3 2"
    answered(engine, Learn(steps=30))
    watcher.wait(ProbeDone, lambda event: event.probe.step == 0 and event.probe.sentences[-1].source == "4 3 2")
    for step in folder.snapshot_steps():
        assert folder.probe(step).sentences[-1].source == "4 3 2", step
    back = [e.probe.step for e in watcher.all(ProbeDone) if e.probe.sentences[-1].source == "4 3 2"]
    assert [step for step in back if step < 30] == sorted((step for step in back if step < 30), reverse=True)


def test_my_sentence_in_an_opened_run_is_shown_at_once_and_stored_when_it_goes_on(tmp_path: Path) -> None:
    with Engine() as engine:
        run = whole_run(engine, tmp_path, max_steps=30)
    folder, before = RunFolder.open(run), (run / "probes").stat().st_mtime_ns
    watcher = Watcher()
    with Engine([watcher]) as engine:
        answered(engine, OpenRun(run=run))
        answered(engine, AddSentence(source="4 3 2"))
        watcher.wait(ProbeDone, lambda event: event.probe.step == 0)
        told = watcher.all(ProbeDone)
        assert {event.probe.step for event in told} == set(folder.snapshot_steps())
        assert all(event.probe.sentences[-1].source == "4 3 2" and not event.is_stored for event in told)
        assert (run / "probes").stat().st_mtime_ns == before
        answered(engine, Learn(steps=1))
        watcher.wait(ProbeDone, lambda event: event.probe.step == 0 and event.is_stored)
        answered(engine, Stop())
    for step in folder.snapshot_steps():
        assert folder.probe(step).sentences[-1].source == "4 3 2", step


def test_my_sentence_is_worked_out_further_in_the_next_session(tmp_path: Path) -> None:
    with Engine() as engine:
        run = whole_run(engine, tmp_path, max_steps=30)
        answered(engine, Learn(steps=1))
        answered(engine, AddSentence(source="4 3 2"))
        answered(engine, Learn(steps=1))  # its checkpoint knows the sentence
    folder = RunFolder.open(run)
    folder.write_probe(replace(folder.probe(5), sentences=folder.probe(5).sentences[:4]))  # as if left before that
    watcher = Watcher()
    with Engine([watcher]) as engine:
        answered(engine, OpenRun(run=run))
        told = watcher.wait(ProbeDone, lambda event: event.probe.step == 5).probe
    assert told.sentences[-1].source == "4 3 2"


# -- settings ------------------------------------------------------------------------------------------------------


def test_a_setting_acts_between_two_steps_and_one_that_waits_is_refused(
    engine: Engine, watcher: Watcher, tmp_path: Path
) -> None:
    run = begun(engine, tmp_path, schedule={"name": "constant", "warmup_steps": 0})
    answered(engine, Learn(steps=5))
    answered(engine, ChangeSetting(key="training.optimizer.learning_rate", value=0.25))
    answered(engine, Learn(steps=5))
    folder = RunFolder.open(run)
    rates = folder.metrics()[1]["train/learning_rate"]
    assert rates[4] == pytest.approx(1e-3)
    assert rates[5] == pytest.approx(0.25)
    changed = SettingChanged(step=5, key="training.optimizer.learning_rate", value=0.25)
    assert watcher.all(SettingChanged) == folder.settings_changed() == [changed]
    for key, value, reason in (
        ("model.d_model", 32, "model.d_model cannot change during a run"),
        ("training.optimizer.learning_rate", -1, "training.optimizer.learning_rate: expected more than 0, given -1"),
        ("training.nothing", 1, "training.nothing: unknown key"),
    ):
        with pytest.raises(UserError, match=re.escape(reason)):
            answered(engine, ChangeSetting(key=key, value=value))


def test_a_setting_of_an_opened_run_is_kept_until_it_goes_on(engine: Engine, tmp_path: Path) -> None:
    run = whole_run(engine, tmp_path)
    answered(engine, OpenRun(run=run))
    before = (run / "metrics.jsonl").read_bytes()
    answered(engine, ChangeSetting(key="training.max_steps", value=70))
    assert (run / "metrics.jsonl").read_bytes() == before
    answered(engine, Learn())
    assert RunFolder.open(run).metrics()[0][-1] == 70


@pytest.mark.parametrize("asks_more", [False, True])
def test_settings_of_an_opened_run_that_found_no_room_are_changed_when_it_goes_on_again(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asks_more: bool
) -> None:
    run, append, rate = whole_run(engine, tmp_path), RunFolder.append_setting, "training.optimizer.learning_rate"
    answered(engine, OpenRun(run=run))
    answered(engine, ChangeSetting(key="training.max_steps", value=70))
    answered(engine, ChangeSetting(key=rate, value=0.25))

    def find_no_room(folder: RunFolder, changed: SettingChanged) -> None:
        if changed.key == rate:
            raise OSError(errno.ENOSPC, "No space left on device")
        append(folder, changed)

    with monkeypatch.context() as full, pytest.raises(UserError, match="No space left"):
        full.setattr(RunFolder, "append_setting", find_no_room)
        answered(engine, Learn())
    if asks_more:
        answered(engine, ChangeSetting(key=rate, value=0.5))
    answered(engine, Learn())
    folder, rates = RunFolder.open(run), [0.25, 0.5] if asks_more else [0.25]
    assert [changed.value for changed in folder.settings_changed()] == [70, *rates]
    assert folder.latest_config().training.optimizer.learning_rate == rates[-1]


def test_a_run_that_cannot_go_on_is_left_as_it_was_found(engine: Engine, tmp_path: Path) -> None:
    run = whole_run(engine, tmp_path)
    before, metrics = RunFolder.open(run).state, (run / "metrics.jsonl").read_bytes()
    answered(engine, OpenRun(run=run))
    (run / "metrics.jsonl").write_bytes(b"x" + metrics[1:])
    with pytest.raises(UserError, match="line 1 is damaged"):
        answered(engine, Learn(steps=1))
    assert replace(RunFolder.open(run).state, updated=before.updated) == before
    (run / "metrics.jsonl").write_bytes(metrics)
    answered(engine, Learn(steps=1))
    assert RunFolder.open(run).last_trained_step() == 61


# -- requests at any time ------------------------------------------------------------------------------------------


def every_request(runs_dir: Path, run: Path) -> list[Request[object]]:
    """Every kind but Close; `run` is one to open and to branch, and what prepares something else comes last."""
    check = CheckPlugin(plugin="copy_task", with_learning=False, bounds=Bounds(options_seconds=0.0))
    requests: list[Request[object]] = [
        *(Learn(), Learn(steps=2), Pause(), Pause(), SetPace(steps_per_second=50.0), SetPace(steps_per_second=None)),
        *(Translate(texts=(TEXT,)), Translate(texts=(TEXT,), step=3), AddSentence(source="1 1"), Stop(), Finish()),
        *(Start(runs_dir=runs_dir), MoveRun(runs_dir=runs_dir), LocateData(), ReloadPlugins(), check),
        *(ChangeSetting(key="training.label_smoothing", value=0.2), SetProcesses(num_processes=1), Evaluate()),
        *(SearchBeam(source=TEXT, beam_size=3, length_penalty=0.6), MakeMasks(target=TEXT, num_padding=2)),
        DissectHead(source=TEXT, reference=TEXT, kind="cross", layer=0, head=1),
        LeaveOutHeads(source=TEXT, reference=TEXT, heads=(HeadPlace("cross", 0, 1),)),
        FindUnreadable(texts=(TEXT, "")),
        *(OpenRun(run=run), Branch(run=run, step=2, runs_dir=runs_dir)),
        Prepare(config=tiny_config(seed=1, max_steps=15)),
    ]
    return requests


def test_every_request_is_answered_before_anything_is_prepared(engine: Engine, tmp_path: Path) -> None:
    *requests, prepare = every_request(tmp_path, tmp_path / "deleted")
    assert {type(one) for one in (*requests, prepare)} == set(REQUESTS.values()) - {Close}
    for request in requests:
        future = engine.ask(request)
        error = future.exception(SECONDS)
        assert error is None or isinstance(error, UserError), request


@pytest.mark.parametrize("seed", range(4))
def test_a_storm_of_requests_leaves_no_future_unanswered(seed: int, tmp_path: Path) -> None:
    rng, watcher = random.Random(seed), Watcher()
    with Engine([watcher]) as engine:
        earlier = whole_run(engine, tmp_path, max_steps=3, probe_every=2)
        begun(engine, tmp_path, max_steps=30)
        futures = []
        for request in rng.choices(every_request(tmp_path, earlier), k=60):
            futures.append((request, engine.ask(request)))
            if rng.random() < 0.2:
                futures[rng.randrange(len(futures))][1].cancel()
            time.sleep(rng.choice((0.0, 0.0, 0.01, 0.05)))
        answered(engine, Stop())
        unanswered = [request for request, future in futures if not future.done()]
        assert all(isinstance(request, CheckPlugin) for request in unanswered)  # goes on beside all else
    for request, future in futures:
        error = None if future.cancelled() else future.exception(timeout=0)
        assert error is None or isinstance(error, UserError), (request, error)
    faults = [event for event in watcher.all(Trouble) if event.details]
    assert faults == []
    assert all(RunFolder.open(run).state.pid is None for run in tmp_path.iterdir())


def test_a_fault_of_the_desk_itself_keeps_what_was_learnt(
    engine: Engine, watcher: Watcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=7))

    def fail(_: object) -> float:
        raise ZeroDivisionError

    monkeypatch.setattr("core.serving.desk.Desk.seconds_to_wait", fail)
    engine.ask(Pause())  # wakes it
    watcher.wait(StateChanged, lambda change: change.state == "failed")
    assert "ZeroDivisionError" in watcher.wait(Trouble).sentence
    assert RunFolder.open(run).checkpoint_step("last") == 7
    assert (RunFolder.open(run).state.state, RunFolder.open(run).state.reason) == ("stopped", "fault")
    assert [end.reason for end in watcher.all(RunFinished)] == ["fault"]
    assert (run / "log.txt").read_text(encoding="utf-8").count("in fail\n") == 1
    with pytest.raises(UserError, match=r"The engine is closed.*Start Headlight again"):
        answered(engine, Learn())


@pytest.fixture
def held_up(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """The first data to be prepared are never ready; set once that is under way."""
    prepare_data, is_under_way = session.prepare_data, threading.Event()

    def prepare(*arguments: Any) -> Generator[Progress | None, None, Any]:
        if not is_under_way.is_set():
            is_under_way.set()
            while True:
                yield None
        return (yield from prepare_data(*arguments))

    monkeypatch.setattr(session, "prepare_data", prepare)
    return is_under_way


def test_a_later_prepare_cancels_an_earlier_one(engine: Engine, watcher: Watcher, held_up: threading.Event) -> None:
    earlier = engine.ask(Prepare(config=tiny_config(seed=1)))
    assert held_up.wait(SECONDS)
    later = engine.ask(Prepare(config=tiny_config(seed=2)))
    assert later.result(SECONDS).config.seed == 2
    with pytest.raises(CancelledError):
        earlier.result(SECONDS)
    assert [event.config.seed for event in watcher.all(Prepared)] == [2]


@pytest.mark.parametrize("error", [RuntimeError("lost"), UserError("The cache was emptied.")])
def test_work_that_cannot_tidy_up_keeps_nobody_waiting(
    watcher: Watcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Preparing is broken off by Stop; the one who asked for it is told, and the engine answers on."""

    is_under_way = threading.Event()

    def preparing(*_: object) -> Iterator[None]:
        try:
            while True:
                yield None
                is_under_way.set()
        finally:
            raise error

    monkeypatch.setattr(session.Session, "prepare", preparing)
    with Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        preparation = engine.ask(Prepare(config=tiny_config()))
        assert is_under_way.wait(SECONDS)
        answered(engine, Stop())
        with pytest.raises(type(error), match=str(error)):
            preparation.result(SECONDS)
        answered(engine, Stop())
    assert bool(watcher.all(Trouble)) == isinstance(error, RuntimeError), "a fault of ours is told to all"


def test_stop_during_a_prepare_cancels_what_waited_for_it(
    engine: Engine, watcher: Watcher, tmp_path: Path, held_up: threading.Event
) -> None:
    engine.ask(Prepare(config=tiny_config()))
    assert held_up.wait(SECONDS)
    start = engine.ask(Start(runs_dir=tmp_path))
    assert answered(engine, Stop()) is None
    with pytest.raises(CancelledError):
        start.result(SECONDS)
    assert watcher.states() == ["preparing", "empty"]


def test_a_new_prepare_saves_the_run_it_leaves(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    run = begun(engine, tmp_path, max_steps=10**6)
    learning = engine.ask(Learn())
    watcher.wait(ProbeDone, lambda event: event.probe.step >= 5)
    answered(engine, Prepare(config=tiny_config(seed=1)))
    learning.result(SECONDS)
    folder = RunFolder.open(run)
    assert (folder.state.state, folder.state.pid) == ("stopped", None)
    assert folder.checkpoint_step("last") == folder.metrics()[0][-1]


def test_opening_the_run_that_is_learning_goes_on_where_it_was(engine: Engine, tmp_path: Path) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=13))
    answered(engine, OpenRun(run=run))
    assert answered(engine, Pause()) == 13


def test_a_run_that_is_refused_at_a_look_leaves_the_learning_alone(
    engine: Engine, watcher: Watcher, tmp_path: Path
) -> None:
    other = RunFolder.open(shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "other"))
    gone = other.config().dataset.model_copy(update={"plugin": "gone"})
    other.write_config(other.config().model_copy(update={"dataset": gone}))
    begun(engine, tmp_path / "runs", max_steps=10**6)
    learning = engine.ask(Learn())
    watcher.wait(StepsDone)
    for refused, reason in (
        (OpenRun(run=tmp_path / "deleted"), "there is no such folder"),
        (Branch(run=other.path, step=40, runs_dir=tmp_path / "runs"), "There is no dataset plugin 'gone'"),
        (Evaluate(split="train set"), "There is no split"),
    ):
        with pytest.raises(UserError, match=reason):
            answered(engine, refused)
        reached = answered(engine, Translate(texts=(TEXT,)))[0].step
        watcher.wait(StepsDone, lambda done, reached=reached: done.first_step > reached)
    assert not learning.done() and watcher.states()[-1] == "learning"
    assert watcher.all(Trouble) == [] and watcher.all(RunFinished) == []
    answered(engine, Stop())


def test_what_cannot_be_prepared_says_why_and_the_engine_lives(engine: Engine, tmp_path: Path) -> None:
    unknown = tiny_config().model_copy(update={"dataset": tiny_config().dataset.model_copy(update={"plugin": "nope"})})
    with pytest.raises(UserError, match="nope"):
        answered(engine, Prepare(config=unknown))
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="is not a run"):
        answered(engine, OpenRun(run=tmp_path / "file"))
    answered(engine, Prepare(config=tiny_config()))
    with pytest.raises(UserError, match="cannot be written"):
        answered(engine, Start(runs_dir=tmp_path / "file"))
    answered(engine, Start(runs_dir=tmp_path))


def test_an_evaluation_gives_the_figures_of_the_contract(engine: Engine, tmp_path: Path) -> None:
    run = whole_run(engine, tmp_path)
    answered(engine, OpenRun(run=run, checkpoint="best"))
    evaluation = answered(engine, Evaluate(split="test"))
    assert (evaluation.run, evaluation.split) == (run, "test")
    assert evaluation.sentences == len(evaluation.predictions) > 0
    assert {"loss", "perplexity", "token_accuracy", "exact_match", "bleu", "chrf"} <= evaluation.metrics.keys()
    with pytest.raises(UserError, match="There is no split 'train set' to evaluate"):
        answered(engine, Evaluate(split="train set"))


# -- listeners, threads, the end -----------------------------------------------------------------------------------


def test_a_listener_that_fails_is_dropped_and_told_of(tmp_path: Path) -> None:
    calls: list[Event] = []

    def broken(event: Event) -> None:
        calls.append(event)
        raise ValueError("out of order")

    watcher = Watcher()
    with Engine([broken, watcher]) as engine:
        whole_run(engine, tmp_path)
    assert len(calls) == 1
    assert "out of order" in watcher.wait(Trouble).sentence
    assert watcher.all(RunFinished)


def test_after_close_every_request_is_refused(tmp_path: Path) -> None:
    engine = Engine()
    run = begun(engine, tmp_path, max_steps=10**6)
    learning = engine.ask(Learn())
    closing = engine.ask(Close())
    late = engine.ask(Pause())
    closing.result(SECONDS)
    learning.result(SECONDS)
    with pytest.raises(UserError, match="closed"):
        late.result(SECONDS)
    engine.close()
    assert RunFolder.open(run).state.state == "stopped"
    assert not [thread for thread in threading.enumerate() if thread.name == "engine"]


def test_all_events_come_from_one_thread(tmp_path: Path) -> None:
    threads: set[str] = set()
    with Engine([lambda _: threads.add(threading.current_thread().name)]) as engine:
        whole_run(engine, tmp_path)
    assert threads == {"engine"}


# -- a disk without room -------------------------------------------------------------------------------------------

FULL = """
import resource, signal, sys
from pathlib import Path
from core.engine import Engine
from core.errors import UserError
from core.events import RunFinished, Trouble
from core.requests import Learn
from core.run_folder import RunFolder
from tests.core.watcher import Watcher, answered, begun
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
watcher = Watcher()
with Engine([watcher]) as engine:
    run = begun(engine, Path(sys.argv[1]), max_steps=40)
    answered(engine, Learn(steps=5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
    try:
        answered(engine, Learn())
    except UserError as error:
        print(error.sentence)
    print(watcher.states()[-1], watcher.wait(RunFinished).reason, watcher.wait(Trouble).sentence)
    state = RunFolder.open(run).state  # it has room for files as small as this
    print(state.state, state.reason)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    answered(engine, Learn())
    print(run)
"""


def test_a_full_disk_pauses_the_run_and_nothing_is_lost(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, tmp_path], capture_output=True, text=True, timeout=200)
    assert done.stderr == ""
    refused, paused, kept, run = done.stdout.split("\n")[:-1]
    assert "cannot be written" in refused
    assert paused == f"paused disk {refused}" and kept == "paused disk"
    assert refused in (Path(run) / "log.txt").read_text(encoding="utf-8")
    assert RunFolder.open(Path(run)).metrics()[0].tolist() == list(range(1, 41))
    state = RunFolder.open(Path(run)).state
    assert (state.state, state.reason) == ("finished", "max_steps")
    with Engine() as engine:
        assert_same_weights(whole_run(engine, tmp_path, max_steps=40), Path(run))


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_run_moved_elsewhere_gives_the_same_weights_and_can_be_left_and_opened(
    engine: Engine, tmp_path: Path, is_gone: bool
) -> None:
    plain = whole_run(engine, tmp_path)
    old = begun(engine, tmp_path)
    answered(engine, Learn(steps=33))
    if is_gone:
        shutil.rmtree(old)
    new = answered(engine, MoveRun(runs_dir=tmp_path / "elsewhere"))
    assert new.parent == tmp_path / "elsewhere"
    assert is_gone or RunFolder.open(old).state.pid is None
    answered(engine, Learn(steps=5))
    answered(engine, Stop())
    answered(engine, OpenRun(run=new))
    answered(engine, Learn())
    assert_same_weights(plain, new)
    folder = RunFolder.open(new)
    assert folder.metrics()[0].tolist() == list(range(34 if is_gone else 1, 61))
    lost = set(RunFolder.open(plain).probe_steps()) - set(folder.probe_steps())
    assert (max(lost) < 33) if is_gone else not lost


def test_a_run_that_cannot_be_moved_stays_where_it_is(engine: Engine, tmp_path: Path) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=3))
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be written"):
        answered(engine, MoveRun(runs_dir=tmp_path / "file"))
    answered(engine, Learn())
    assert RunFolder.open(run).state.state == "finished"


def test_a_run_that_cannot_be_moved_while_it_learns_has_paused(
    engine: Engine, watcher: Watcher, tmp_path: Path
) -> None:
    run = begun(engine, tmp_path, max_steps=100_000)
    learning = engine.ask(Learn())
    watcher.wait(StepsDone)
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be written"):
        answered(engine, MoveRun(runs_dir=tmp_path / "file"))
    assert learning.result(SECONDS) is None
    assert watcher.states()[-1] == RunFolder.open(run).state.state == "paused"


def test_a_run_is_moved_without_what_cannot_be_read(
    engine: Engine, watcher: Watcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=33))
    fail_to_read(run / "probes/000013.safetensors", monkeypatch)
    before = RunFolder.open(run).probe_steps()
    new = answered(engine, MoveRun(runs_dir=tmp_path / "elsewhere"))
    assert set(before) - set(RunFolder.open(new).probe_steps()) == {13}
    assert "(files: 1)" in watcher.wait(Trouble, lambda told: told.is_note).sentence
    assert "000013.safetensors: it cannot be read (Input/output error)" in (new / "log.txt").read_text()
    answered(engine, Learn())
    assert RunFolder.open(new).metrics()[0].tolist() == list(range(1, 61))


def test_curves_that_cannot_be_read_begin_anew_elsewhere_and_damaged_ones_leave_no_half_of_a_run(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, elsewhere = begun(engine, tmp_path), tmp_path / "elsewhere"
    answered(engine, Learn(steps=33))
    metrics = (run / "metrics.jsonl").read_bytes()
    (run / "metrics.jsonl").write_bytes(b"x" + metrics[1:])
    with pytest.raises(UserError, match="line 1 is damaged"):
        answered(engine, MoveRun(runs_dir=elsewhere))
    assert list(elsewhere.iterdir()) == []
    fail_to_read(run / "metrics.jsonl", monkeypatch)
    new = answered(engine, MoveRun(runs_dir=elsewhere))
    answered(engine, Learn())
    assert RunFolder.open(new).metrics()[0].tolist() == list(range(34, 61))


def test_a_run_is_moved_off_a_disk_that_answers_nothing_any_more(
    engine: Engine, watcher: Watcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, run = whole_run(engine, tmp_path), begun(engine, tmp_path)
    answered(engine, Learn(steps=33))
    ask, scan = Path.stat, os.scandir

    def require_life(path: Any) -> None:
        if Path(path).is_relative_to(run):
            raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as failing:
        failing.setattr(Path, "stat", lambda path, **how: require_life(path) or ask(path, **how))
        failing.setattr(os, "scandir", lambda path=".": require_life(path) or scan(path))
        new = answered(engine, MoveRun(runs_dir=tmp_path / "elsewhere"))
    assert "metrics.jsonl: it cannot be read (Input/output error)" in (new / "log.txt").read_text()
    assert watcher.wait(Trouble, lambda told: told.is_note)
    answered(engine, Learn())
    assert_same_weights(plain, new)


UNASKED = """
import sys, time
from core.engine import Engine
with Engine() as engine:
    deadline = time.monotonic() + 60
    while not engine._host._rows and time.monotonic() < deadline:
        time.sleep(0.01)
    print(len(engine._host._rows) > 0, "torch" in sys.modules)
"""


def test_until_something_is_asked_it_lists_plugins_and_leaves_torch_alone() -> None:
    """So that a window that is being built has the interpreter for itself."""
    result = subprocess.run([sys.executable, "-c", UNASKED], capture_output=True, text=True, timeout=200)
    assert (result.stdout, result.stderr) == ("True False\n", "")
