"""Opening runs: with averaged, removed or diverged checkpoints, or with settings that new runs cannot have."""

from __future__ import annotations

import shutil
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from core import cli
from core.config import RunConfig
from core.data.prepared_data import PreparedData
from core.engine import Engine
from core.errors import UserError
from core.events import Progress, RunFinished, Trouble
from core.requests import Evaluate, Learn, OpenRun, Pause, Prepare, Start, Translate
from core.run_folder import Checkpoint, RunFolder
from core.training.auto_precision import choice
from tests.core.watcher import Watcher, answered, begun, tiny_config

DIVERGING: dict[str, Any] = {
    "optimizer": {"name": "sgd", "learning_rate": 100.0},
    "schedule": {"name": "constant", "warmup_steps": 0},
    "max_grad_norm": None,
    "checkpoint_every": 1,
}
STABLE = (("training.optimizer.learning_rate", 1e-3), ("training.max_grad_norm", 1.0))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run that averages three checkpoints and keeps only these."""
    place = tmp_path_factory.mktemp("averaging")
    with Engine(cache_dir=place / "cache") as engine:
        run = begun(engine, place, average_checkpoints=3, keep_checkpoints=0, checkpoint_every=6, max_steps=20)
        answered(engine, Learn())
        return run


def mean_of_files(run: Path, *steps: int) -> dict[str, np.ndarray]:
    files = [load_file(run / "checkpoints" / f"{step:06}" / "model.safetensors") for step in steps]
    return {name: np.mean([file[name].astype(np.float64) for file in files], axis=0) for name in files[0]}


def test_the_last_checkpoint_is_the_mean_of_the_files(run: Path, tmp_path: Path) -> None:
    assert RunFolder.open(run).checkpoint_steps() == [12, 18, 20]
    out = tmp_path / "mean"
    assert cli.main(["export", str(run), "--format", "safetensors", "--output", str(out), "--checkpoint", "last"]) == 0
    exported = RunFolder.open(out).weights(20)
    for name, expected in mean_of_files(run, 12, 18, 20).items():
        np.testing.assert_allclose(exported[name], expected, rtol=1e-6, atol=1e-9)


def test_averaged_weights_can_be_evaluated_but_not_trained(run: Path, tmp_path: Path) -> None:
    with Engine([Watcher()], cache_dir=tmp_path) as engine:
        losses = []
        for averaged in (False, True):
            answered(engine, OpenRun(run=run, averaged=averaged))
            losses.append(answered(engine, Evaluate(split="valid")).metrics["loss"])
        assert losses[0] != losses[1]
        with pytest.raises(UserError, match="mean of several checkpoints cannot continue learning"):
            answered(engine, Learn())
        answered(engine, OpenRun(run=run, checkpoint="18", averaged=True))
        assert answered(engine, Evaluate(split="valid")).metrics["loss"] not in losses


def test_invalid_changes_are_refused_when_a_run_is_opened(run: Path, tmp_path: Path) -> None:
    watcher = Watcher()
    with Engine([watcher], cache_dir=tmp_path) as engine:
        with pytest.raises(UserError, match=r"decoding\.max_length: expected at most the \d+ positions"):
            answered(engine, OpenRun(run=run, changes=(("decoding.max_length", 5000),)))
        assert watcher.states()[-1] == "empty"


def test_translating_does_not_prepare_the_pairs(run: Path, tmp_path: Path) -> None:
    watcher = Watcher()
    with Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        answered(engine, OpenRun(run=run, purpose="translate"))
        (translation,) = answered(engine, Translate(texts=("1 2 3",)))
    assert translation.output
    assert (watcher.all(Progress), (tmp_path / "cache").exists()) == ([], False)


def test_bfloat16_that_this_processor_only_imitates_is_reported_of_a_new_and_of_an_opened_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "has_bfloat16_products", lambda: False)
    with Engine([Watcher()], cache_dir=tmp_path / "cache") as engine:
        prepared = answered(engine, Prepare(config=tiny_config(precision="bfloat16", max_steps=1)))
        run = answered(engine, Start(runs_dir=tmp_path))
        answered(engine, Learn())
        opened = answered(engine, OpenRun(run=run))
    assert opened.picked.startswith("precision: bfloat16 (imitated")
    assert prepared.picked.startswith(f"{opened.picked}, threads: ")


def test_resuming_an_exported_run_says_what_to_do_instead(
    run: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "exported"
    assert cli.main(["export", str(run), "--format", "safetensors", "--output", str(out)]) == 0
    assert cli.main(["train", "--resume", str(out)]) == 2
    assert capfd.readouterr().err == (
        "headlight: A shared run has no optimizer state to continue with. Resume the run that it was made from; or "
        "open "
        "it in the "
        "window, from the runs folder: “Continue from …” begins a run of your own with its weights.\n"
    )


def test_a_checkpoint_removed_meanwhile_is_replaced_by_the_newest(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, read = shutil.copytree(run, tmp_path / "run"), RunFolder.checkpoint

    def read_too_late(folder: RunFolder, step: int) -> Checkpoint:
        if step == 20:
            shutil.rmtree(copy / "checkpoints" / "000020")  # as the process that trains the run may
        return read(folder, step)

    monkeypatch.setattr(RunFolder, "checkpoint", read_too_late)
    with Engine(cache_dir=tmp_path / "cache") as engine:
        answered(engine, OpenRun(run=copy))
        assert answered(engine, Pause()) == 18
        with pytest.raises(UserError, match="no checkpoint '20'"):
            answered(engine, OpenRun(run=copy, checkpoint="20"))
    shutil.rmtree(copy / "checkpoints" / "000012")
    with pytest.raises(UserError, match=r"keeps the weights of step 12\. If a process trains it, .*: try again"):
        RunFolder.open(copy).mean_weights([12, 18])  # listed before


def test_a_run_that_tied_two_vocabularies_of_one_size_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New runs are refused, but the weights of an existing run fit only these settings."""
    sources = map(" ".join, product("ab", repeat=6))
    (tmp_path / "pairs.tsv").write_text("".join(f"{text}\t{text.upper()}\n" for text in sources))
    options = {"folder": str(tmp_path), "train_source": "pairs.tsv"}
    document = tiny_config(max_steps=4).model_dump()
    document |= {"dataset": {"plugin": "parallel_text", "options": options}}
    document["model"]["tie_embeddings"] = "all"
    config = RunConfig.model_validate(document)
    with Engine(cache_dir=tmp_path / "cache") as engine:
        with monkeypatch.context() as patch:
            patch.setattr(PreparedData, "require_shared_vocabulary", lambda _: None)
            answered(engine, Prepare(config=config))
        run = answered(engine, Start(runs_dir=tmp_path))
        answered(engine, Learn(steps=2))
        with pytest.raises(UserError, match="here there are two, of 6 and 6 tokens"):
            answered(engine, Prepare(config=config))
        answered(engine, OpenRun(run=run))
        answered(engine, Learn())
        assert answered(engine, Pause()) == 4


def test_a_diverged_run_continues_from_its_last_checkpoint_before_diverging(tmp_path: Path) -> None:
    """With a far too high learning rate, weights stay finite for some steps after the loss has diverged."""
    watcher = Watcher()
    with Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        run = begun(engine, tmp_path, **DIVERGING, keep_checkpoints=100)
        answered(engine, Learn())
        folder = RunFolder.open(run)
        losses = folder.metrics()[1]["train/loss"]
        healthy = int(np.flatnonzero(losses <= losses[0])[-1])  # the weights of step s give the loss of step s + 1
        assert healthy < watcher.wait(RunFinished).step - 1 == folder.checkpoint_steps()[-2]
        answered(engine, OpenRun(run=run, changes=STABLE))
        assert f"Opened at the last one from before, of step {healthy};" in watcher.all(Trouble)[-1].advice
        answered(engine, Learn())
        assert [finished.reason for finished in watcher.all(RunFinished)] == ["diverged", "max_steps"]
        answered(engine, OpenRun(run=run))
    assert len(watcher.all(Trouble)) == 2  # opening the finished run reports nothing


def test_a_diverged_run_without_an_earlier_checkpoint_advises_a_new_run(tmp_path: Path) -> None:
    watcher = Watcher()
    with Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        run = begun(engine, tmp_path, **DIVERGING, keep_checkpoints=1)
        answered(engine, Learn())
        first, last = RunFolder.open(run).checkpoint_steps()
        answered(engine, OpenRun(run=run))
        assert answered(engine, Pause()) == first
    diverged, opened = watcher.all(Trouble)
    advice = "start a new run with training.optimizer.learning_rate = 10, warm up for more steps"
    assert diverged.offer == "" and f"No checkpoint from before it diverged is kept: {advice}" in diverged.advice
    assert f"had already diverged at its last checkpoint, of step {last}" in opened.sentence and advice in opened.advice
