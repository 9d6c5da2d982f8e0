"""Promise 2: a run stopped anywhere and resumed equals one that was never stopped, to the bit on a CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.config import RunConfig
from core.engine import Engine
from core.events import RunFinished
from core.requests import AddSentence, ChangeSetting, Learn, OpenRun, Prepare, Request, Start, Stop
from core.run_folder import RunFolder
from tests.core.watcher import Watcher, answered
from tests.reliability.cases import Cases
from tests.reliability.small_runs import digest

STEPS = 60
STOPS = (1, 17, 30, 59)
ADDED_AT = 5  # the step at which a sentence joins the probes
TIMING = ("time", "train/target_tokens_per_second")
MODEL = {"d_model": 16, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1, "d_ff": 32}
ENDLESS = {"plugin": "copy_task", "options": {"num_symbols": 5, "min_length": 3, "max_length": 6}}
FINITE = {"plugin": "phonetic_to_letter", "options": {"count": 200, "length": 4}}  # 20 batches of 8 are an epoch
SUBWORDS = FINITE | {"tokenizer": {"src": "subword_unigram", "tgt": "subword", "size": 40}}
Requests = Mapping[int, Sequence[Request[Any]]]


def setting(key: str, value: Any) -> ChangeSetting:
    return ChangeSetting(key=f"training.{key}", value=value)


# name -> dataset, settings of training, and what is asked at which step
KINDS: dict[str, tuple[dict[str, Any], dict[str, Any], Requests]] = {
    "endless": (ENDLESS, {}, {}),
    "changed_on_the_way": (
        FINITE,
        {"accumulate_steps": 3},
        {
            ADDED_AT: [setting("label_smoothing", 0.3), AddSentence(source="ei bi:")],
            17: [setting("optimizer.learning_rate", 0.02)],  # just before it is stopped there
            40: [setting("max_grad_norm", 0.1), setting("validate_every", 9), setting("keep_checkpoints", 1)],
        },
    ),
    "early_stopping": (
        FINITE,
        {
            "early_stopping": {"patience": 5},
            "validate_every": 7,
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
QUICK = ("endless", "changed_on_the_way", "early_stopping")


def config(dataset: dict[str, Any], training: dict[str, Any]) -> RunConfig:
    small = {"max_steps": STEPS, "batch_size": 8, "validate_every": 11, "checkpoint_every": 8, "num_threads": 1}
    return RunConfig.model_validate({"seed": 3, "dataset": dataset, "model": MODEL, "training": {**small, **training}})


def trained(engine: Engine, watcher: Watcher, run: Path, kind: str, stops: Sequence[int]) -> Path:
    """A run of this kind to its end, stopped and opened again at some steps."""
    dataset, training, requests = KINDS[kind]
    answered(engine, Prepare(config=config(dataset, training)))
    answered(engine, Start(runs_dir=run.parent, run_dir=run))
    ended_before, at = len(watcher.all(RunFinished)), 0
    for step in sorted({*stops, *requests}):
        answered(engine, Learn(steps=step - at))
        for request in requests.get(step, ()):
            answered(engine, request)
        if len(watcher.all(RunFinished)) > ended_before:  # it stopped early
            return run
        if step in stops:
            answered(engine, Stop())
            answered(engine, OpenRun(run=run))
            ended_before += 1
        at = step
    answered(engine, Learn())
    return run


def learnt(run: Path) -> dict[str, str]:
    """A hash of each thing that a run learnt; times are no part of them."""
    folder = RunFolder.open(run)
    last = folder.checkpoint(folder.checkpoint_step("last"))
    steps, arrays = folder.metrics()
    parts: dict[str, object] = {
        "steps": steps,
        "validations": folder.validation_metrics(),
        "settings": folder.settings_changed(),
        "best": (folder.state.best_step, folder.state.best_value, folder.state.reason),
        "weights": last.model,
        "mean of checkpoints": folder.averaged_weights(last.step),
        "state": {name: value for name, value in last.state.items() if name != "checksum"},
    }
    parts |= {f"curve {name}": array for name, array in arrays.items() if name not in TIMING}
    parts |= {f"optimizer {name}": array for name, array in last.optimizer.items()}  # and the random states
    parts |= {f"probe {step}": probed(folder, step) for step in folder.probe_steps()}
    parts |= {f"snapshot {step}": folder.read_snapshot(step) for step in folder.snapshot_steps()}
    parts |= {f"sentences {step}": folder.validated_sentences(step) for step in folder.validation_steps()}
    return {name: digest(part) for name, part in parts.items()}


def probed(folder: RunFolder, step: int) -> list[object]:
    """The sentences of a probe; one that was added later is put in whenever there is time."""
    sentences = folder.probe(step).sentences
    return [sentence for sentence in sentences if sentence.reference is not None or step > ADDED_AT]


def assert_same(resumed: dict[str, str], plain: dict[str, str]) -> None:
    """All that the run never stopped has, and beyond it only probes of the steps where the other was stopped."""
    different = [name for name in plain if resumed.get(name) != plain[name]]
    assert different == []
    assert all(name.startswith("probe ") for name in resumed.keys() - plain.keys())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Few kinds by default."""
    metafunc.parametrize("kind", KINDS if metafunc.config.getoption("--full") else QUICK)


def test_a_resumed_run_equals_one_never_stopped(kind: str, tmp_path: Path, cases: Cases, full: bool) -> None:
    watcher = Watcher()
    with Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        plain = learnt(trained(engine, watcher, tmp_path / "plain", kind, ()))
        for number, stops in enumerate([STOPS, *([stop] for stop in STOPS)] if full else [STOPS]):
            with cases.trying(f"{kind}, stopped at {list(stops)}"):
                assert_same(learnt(trained(engine, watcher, tmp_path / str(number), kind, stops)), plain)
