"""The marks of notable events in a run, collected from its history."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.engine import Engine
from core.events import Prepared, ProbeDone, RunStarted, SettingChanged, StateChanged, StepsDone, ValidationDone
from core.history import History
from core.probes import Probe
from core.requests import ChangeSetting, Finish, Learn, OpenRun
from core.run_folder import RunFolder
from core.runs.marks import collect_marks
from core.settings.presets import read_preset
from tests.core.watcher import Watcher, answered, begun
from tests.gui.builders import aligned_sentence
from tests.reliability.small_runs import train

pytestmark = pytest.mark.usefixtures("engines_share_a_host")


def validated(step: int, exact_match: float, *, is_best: bool = False) -> ValidationDone:
    return ValidationDone(step=step, metrics={"valid/exact_match": exact_match}, sentences=(), is_best=is_best)


def test_an_empty_history_has_no_marks() -> None:
    assert collect_marks(History()) == ()


def test_a_found_alignment_stays_marked_when_the_head_loses_it() -> None:
    history, (first, misaligned) = History(), (aligned_sentence(), aligned_sentence((2, 2, 2)))
    assert first.by_reference is not None
    other = replace(first, by_reference=replace(first.by_reference, cross=first.by_reference.cross[:, ::-1]))
    for step, sentence in ((640, first), (700, misaligned), (900, other)):
        history.apply(StepsDone(first_step=step, arrays={"train/loss": np.ones(1)}))
        history.apply(ProbeDone(probe=Probe(step=step, sentences=(sentence,))))
    assert [mark.text for mark in collect_marks(history)] == [
        "step 640: layer 2 head 3 found the alignment",
        "step 900: layer 2 head 2 found the alignment",
    ]


def test_marks_are_the_first_right_answer_the_best_changes_and_the_found_alignment() -> None:
    history = History()
    history.apply(
        Prepared(
            config=read_preset("toy_german_english"),
            num_parameters=1,
            src_tokens=("a",),
            tgt_tokens=("b",),
            num_pairs={},
            left_out={},
            limits={},
            examples=(),
            run=None,
        )
    )
    for event in (
        StepsDone(first_step=1, arrays={"train/loss": np.ones(400)}),
        validated(100, 0.0, is_best=True),
        validated(200, 0.125, is_best=True),
        validated(300, 0.5, is_best=True),
        validated(400, 0.4),
        SettingChanged(step=250, key="training.max_grad_norm", value=5.0),  # replaced at the same step
        SettingChanged(step=250, key="training.max_grad_norm", value=0.5),
        SettingChanged(step=260, key="training.max_grad_norm", value=None),
        ProbeDone(probe=Probe(step=20, sentences=(aligned_sentence((2, 2, 2)),))),
        ProbeDone(probe=Probe(step=50, sentences=(aligned_sentence(),))),
        ProbeDone(probe=Probe(step=80, sentences=(aligned_sentence((2, 2, 2)),))),
    ):
        history.apply(event)
    assert [(mark.step, mark.kind) for mark in collect_marks(history)] == [
        *((50, "aligned"), (200, "right"), (250, "setting"), (260, "setting"), (300, "best")),
    ]
    assert [mark.text for mark in collect_marks(history)] == [
        "step 50: layer 2 head 3 found the alignment",
        "step 200: the first right answers, 12.5 % of the validation's sentences",
        "step 250: training.max_grad_norm set to 0.5",
        "step 260: training.max_grad_norm set to null",
        "step 300: the best validation so far, by valid/loss",
    ]


def test_the_best_validation_is_marked_with_the_metric_that_chose_it(tmp_path: Path) -> None:
    """Even if another metric is chosen at the step of a validation, before or after it."""
    watcher, key = Watcher(), "training.best_metric"
    with Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        run = begun(engine, tmp_path, validate_every=4, max_steps=1000)
        learn(engine, watcher, 4)
        answered(engine, ChangeSetting(key=key, value="valid/token_error_rate"))
        assert bests(watcher, run) == ["step 4: the best validation so far, by valid/loss"] * 2
        learn(engine, watcher, 8)
        since = "step 8: the best validation since step 4, by valid/token_error_rate"
        assert bests(watcher, run) == [since] * 2
        learn(engine, watcher, 10)
        answered(engine, ChangeSetting(key=key, value="valid/loss"))
        answered(engine, Finish())
        assert bests(watcher, run) == ["step 10: the best validation since step 10, by valid/loss"] * 2


def learn(engine: Engine, watcher: Watcher, step: int) -> None:
    """Train up to this step."""
    last = max((event.step for event in watcher.all(StateChanged)), default=0)
    answered(engine, Learn(steps=step - last))
    watcher.wait(StateChanged, lambda change: change.state == "paused" and change.step == step)


def bests(watcher: Watcher, run: Path) -> list[str]:
    """The marks of the best validation in a history built from events, and in one that reads the folder."""
    live, read = History(), History()
    for event in watcher.events:
        live.apply(event)
    assert live.prepared is not None
    read.apply(replace(live.prepared, run=run))
    return [mark.text for history in (live, read) for mark in collect_marks(history) if mark.kind == "best"]


def test_the_best_is_never_a_validation_that_going_back_removed(tmp_path: Path) -> None:
    run = train(tmp_path / "run", 8, validate_every=4, checkpoint_every=4)
    assert max(History.read(RunFolder.open(run)).best_steps) == 8
    (run / "checkpoints" / "000008" / "model.safetensors").write_bytes(b"damaged")
    watcher, history = Watcher(), History()
    with Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        answered(engine, OpenRun(run=run))
        history.apply(watcher.all(Prepared)[0])
        answered(engine, Learn(steps=1))
    for event in watcher.events[watcher.events.index(watcher.all(RunStarted)[0]) :]:
        history.apply(event)
    assert history.last_step == 5 and [mark.step for mark in collect_marks(history) if mark.kind == "best"] == [4]
