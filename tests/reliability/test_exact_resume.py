"""Promise 2: a run stopped anywhere and resumed equals one that was never stopped, to the bit on a CPU."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.config import RunConfig
from core.engine import Engine
from core.events import RunFinished
from core.requests import AddSentence, ChangeSetting, Learn, OpenRun, Prepare, Request, SetProcesses, Start, Stop
from core.run_folder import RunFolder
from tests.core.processes.worker_pids import worker_pids
from tests.core.watcher import Watcher, answered
from tests.reliability.cases import Cases
from tests.reliability.run_digests import ADDED_AT, assert_same, digests

STEPS = 60
STOPS = (1, 17, 30, 59)
MODEL = {"d_model": 16, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1, "d_ff": 32}
ENDLESS = {"plugin": "copy_task", "options": {"num_symbols": 5, "min_length": 3, "max_length": 6}}
FINITE = {"plugin": "phonetic_to_letter", "options": {"count": 200, "length": 4}}  # 20 batches of 8 make an epoch
SUBWORDS = FINITE | {"tokenizer": {"src": "subword_unigram", "tgt": "subword", "size": 40}}
SHARD_IN_30_STEPS = {"batch_size": 334}  # of 10,000 pairs: one stop is between two shards, one in the second
Requests = Mapping[int, Sequence[Request[Any]]]


def setting(key: str, value: Any) -> ChangeSetting:
    return ChangeSetting(key=f"training.{key}", value=value)


# name -> dataset, training settings, and the requests at each step
KINDS: dict[str, tuple[dict[str, Any], dict[str, Any], Requests]] = {
    "endless": (ENDLESS, SHARD_IN_30_STEPS, {}),
    "changed_on_the_way": (
        FINITE,
        {"accumulate_steps": 3},
        {
            ADDED_AT: [setting("label_smoothing", 0.3), AddSentence(source="ei bi:")],
            17: [setting("optimizer.learning_rate", 0.02)],  # just before it is stopped at this step
            40: [setting("max_grad_norm", 0.1), setting("validate_every", 9), setting("keep_checkpoints", 1)],
        },
    ),
    "early_stopping": (
        FINITE,
        {
            "early_stopping": {"patience": 9},
            "validate_every": 7,
            "max_steps": 1000,  # it stops at 70, after the last of STOPS
            "optimizer": {"learning_rate": 1e-30},
            "best_metric": "valid/exact_match",
        },
        {},
    ),
    "subwords": (SUBWORDS, {}, {}),
    "mid_epoch": (FINITE, {"batch_size": 16}, {}),
    "by_tokens": (FINITE, {"batch_tokens": 150, "batch_size": None}, {}),
    "adamw": (
        ENDLESS,
        {"optimizer": {"name": "adamw", "weight_decay": 0.1}, "batch_tokens": 90, "batch_size": None},
        {},
    ),
    "momentum": (FINITE, {"optimizer": {"name": "sgd", "momentum": 0.9, "learning_rate": 0.1}}, {}),
    "cosine": (ENDLESS, {"schedule": {"name": "cosine", "warmup_steps": 20}, "max_grad_norm": None}, {}),
    "averaging": (FINITE, {"average_checkpoints": 3, "keep_checkpoints": 0}, {}),
    "ema": (FINITE, {"ema_decay": 0.95}, {}),
    "seldom_saved": (FINITE, {"checkpoint_every": 1000, "validate_every": 1000, "probe_every": 13}, {}),
}
END = {"early_stopping": (70, "early_stopping")}  # all others end at the last step
QUICK = ("endless", "changed_on_the_way", "early_stopping")


def config(dataset: dict[str, Any], training: dict[str, Any]) -> RunConfig:
    small = {"max_steps": STEPS, "batch_size": 8, "validate_every": 11, "checkpoint_every": 8, "num_threads": 1}
    return RunConfig.model_validate({"seed": 3, "dataset": dataset, "model": MODEL, "training": {**small, **training}})


def trained(engine: Engine, watcher: Watcher, run: Path, kind: str, stops: Sequence[int], num_processes: int) -> Path:
    """Train a run of this kind to its end in `num_processes`; stop and reopen it at each of `stops`."""
    dataset, training, requests = KINDS[kind]
    answered(engine, SetProcesses(num_processes=num_processes))
    answered(engine, Prepare(config=config(dataset, training)))
    answered(engine, Start(runs_dir=run.parent, run_dir=run))
    watcher.events.clear()
    at = 0
    for step in sorted({*stops, *requests}):
        answered(engine, Learn(steps=step - at))
        for request in requests.get(step, ()):
            answered(engine, request)
        if step in stops:
            answered(engine, Stop())
            answered(engine, OpenRun(run=run))
        at = step
    answered(engine, Learn())
    ends = [(finished.step, finished.reason) for finished in watcher.all(RunFinished)]
    assert ends == [*((step, "stopped") for step in stops), END.get(kind, (STEPS, "max_steps"))]
    return run


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise by kind: a few by default."""
    if "kind" in metafunc.fixturenames:
        metafunc.parametrize("kind", KINDS if metafunc.config.getoption("--full") else QUICK)


def test_a_resumed_run_equals_one_never_stopped(
    kind: str, tmp_path: Path, cases: Cases, full: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not full:  # a tenth of a shard in as many steps
        monkeypatch.setattr("core.plugins_host.split_drawing.SHARD_SIZE", 1000)
        monkeypatch.setitem(SHARD_IN_30_STEPS, "batch_size", 34)
    watcher = Watcher()
    with Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        plain = trained(engine, watcher, tmp_path / "plain", kind, (), 1)
        for number, stops in enumerate([STOPS, *([stop] for stop in STOPS)] if full else [STOPS]):
            with cases.trying(f"{kind}, stopped at {list(stops)}"):
                assert_same(digests(trained(engine, watcher, tmp_path / str(number), kind, stops, 1)), digests(plain))
    epochs = RunFolder.open(plain).metrics()[1]["train/epoch"]
    assert kind != "endless" or epochs[29] == 1.0 < epochs[58]  # it drew from two shards


@pytest.mark.skipif(sys.platform != "linux", reason="needs torchrun and gloo on Linux")
@pytest.mark.parametrize("two_of", QUICK)
def test_a_resumed_run_of_two_processes_equals_one_never_stopped(
    two_of: str, tmp_path: Path, cases: Cases, full: bool
) -> None:
    """Stopping by a signal at any moment: tests/core/training/test_distributed.py."""
    if not full:
        pytest.skip("starts torchrun six times, which takes seconds each: run with --full")
    watcher = Watcher()
    with Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        plain = trained(engine, watcher, tmp_path / "plain", two_of, (), 2)
        assert sorted(worker_pids()) == [0, 1]
        with cases.trying(f"{two_of} in two processes, stopped at {list(STOPS)}"):
            assert_same(digests(trained(engine, watcher, tmp_path / "stopped", two_of, STOPS, 2)), digests(plain))
