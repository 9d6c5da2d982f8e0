"""The training loop: the events it yields, the files it writes, and that observing it changes no bit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import islice
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.data.batch import Batch
from core.data.batching import TrainBatches
from core.data.prepared_data import PreparedData
from core.decoding.translate import translate
from core.errors import UserError
from core.events import CheckpointSaved, ProbeDone, SnapshotSaved, StepsDone, Trouble, ValidationDone
from core.machine import core_sharing
from core.machine.core_sharing import POOL_NAME
from core.model.weights import named_weights
from core.plugins_host.errors import PluginError
from core.plugins_host.host import PluginHost
from core.requests import Translate
from core.resuming import truncate_run
from core.run_folder import RunFolder
from core.runs.run_summary import summarise
from core.training import step_meter
from core.training.loss import Loss
from core.training.metrics import FREE_RUNNING, TEACHER_FORCED
from core.training.step_meter import StepMeter
from core.training.trainer import Trainer
from tests.core.training.conftest import trainers_in
from tests.core.training.small_runs import MakeTrainer, finish


def all_weights(trainer: Trainer) -> torch.Tensor:
    return torch.cat([tensor.flatten() for tensor in named_weights(trainer.model).values()]).clone()


def of_kind(events: list[Any], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


@pytest.fixture(scope="module")
def plain(data: PreparedData, host: PluginHost, tmp_path_factory: pytest.TempPathFactory) -> torch.Tensor:
    """The final weights of an undisturbed run."""
    with trainers_in(tmp_path_factory.mktemp("plain"), data, host) as make_trainer:
        trainer = make_trainer()
        finish(trainer.run())
        return all_weights(trainer)


def test_a_run_learns_and_returns_the_reason_for_its_end(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(max_steps=60)
    before = all_weights(trainer)
    events, reason = finish(trainer.run())
    assert reason == "max_steps"
    assert trainer.step == 60
    assert not torch.equal(before, all_weights(trainer))
    loss = np.concatenate([event.arrays["train/loss"] for event in of_kind(events, StepsDone)])
    assert len(loss) == 60 and loss[-5:].mean() < loss[:5].mean()


def test_every_step_yields(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer()
    steps_seen = {trainer.step for _ in trainer.run()}
    assert steps_seen == set(range(13))


def test_steps_are_reported_once_in_order_with_all_their_metrics(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer()
    events, _ = finish(trainer.run())
    steps = of_kind(events, StepsDone)
    numbers = [event.first_step + i for event in steps for i in range(len(event.arrays["time"]))]
    assert numbers == list(range(1, 13))
    names = ["loss", "objective", "grad_norm", "learning_rate", "target_tokens_per_second", "epoch"]
    for event in steps:
        assert list(event.arrays) == ["time", *(f"train/{name}" for name in names)]  # as in a line of metrics.jsonl
        assert all(np.isfinite(array).all() and array.dtype == np.float64 for array in event.arrays.values())
    rates = np.concatenate([event.arrays["train/learning_rate"] for event in steps])
    assert rates.tolist() == [trainer.learning_rate_at(step) for step in numbers]


def test_the_tokens_of_a_second_are_those_to_predict_without_padding(
    make_trainer: MakeTrainer, data: PreparedData, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    record = StepMeter.record

    def count(meter: StepMeter, *measured: Any, num_tokens: int, **known: Any) -> None:
        counted.append(num_tokens)
        record(meter, *measured, num_tokens=num_tokens, **known)

    monkeypatch.setattr(StepMeter, "record", count)
    trainer = make_trainer(batch_size=50, accumulate_steps=2, max_steps=3)  # an epoch of 300 pairs
    events, _ = finish(trainer.run())
    assert of_kind(events, StepsDone)[-1].arrays["train/epoch"][-1] == 1.0
    assert sum(counted) == data.split("train").tgt_lengths.sum()


def test_everything_a_run_reports_is_in_its_folder(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(probe_every=4)
    events, _ = finish(trainer.run())
    folder = RunFolder.open(trainer.folder.path)
    probed = [event.probe.step for event in of_kind(events, ProbeDone)]
    assert folder.probe_steps() == probed == [0, 1, 2, 3, 4, 5, 8, 12]
    assert folder.snapshot_steps() == [event.step for event in of_kind(events, SnapshotSaved)]
    assert folder.validation_steps() == [event.step for event in of_kind(events, ValidationDone)] == [5, 10, 12]
    assert folder.metrics()[0].tolist() == list(range(1, 13))
    assert of_kind(events, CheckpointSaved)[-1].step == folder.checkpoint_steps()[-1] == 12


# -- the same weights to the bit ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("probe_every", [1, 7])
def test_probing_changes_nothing(make_trainer: MakeTrainer, plain: torch.Tensor, probe_every: int) -> None:
    trainer = make_trainer(probe_every=probe_every)
    finish(trainer.run())
    assert torch.equal(all_weights(trainer), plain)


def test_validating_and_saving_more_often_changes_nothing(make_trainer: MakeTrainer, plain: torch.Tensor) -> None:
    trainer = make_trainer(validate_every=1, checkpoint_every=2)
    finish(trainer.run())
    assert torch.equal(all_weights(trainer), plain)


def test_translating_and_probing_between_steps_changes_nothing(make_trainer: MakeTrainer, plain: torch.Tensor) -> None:
    trainer, request = make_trainer(), Translate(texts=("a b c",), with_attention=True)
    for _ in trainer.run():
        translate(trainer.model, trainer.data, request, decoding=trainer.config.decoding, step=trainer.step)
        trainer.probe()
        torch.rand(5)  # a random number drawn outside training
    assert torch.equal(all_weights(trainer), plain)


def test_giving_cores_away_changes_nothing_and_ends_with_the_generator(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = make_trainer(num_threads=2, batch_size=256)  # enough for two threads to share
    finish(alone.run())
    monkeypatch.setattr(core_sharing, "_LOOK_SECONDS", 0.0)
    monkeypatch.setattr(core_sharing, "_BUSY_SHARE", -1.0)
    beside_others = make_trainer(num_threads=2, batch_size=256)
    has_given = [any(thread.name == POOL_NAME for thread in threading.enumerate()) for _ in beside_others.run()]
    assert any(has_given)
    assert all(thread.name != POOL_NAME for thread in threading.enumerate())
    assert torch.equal(all_weights(alone), all_weights(beside_others))


def test_abandoning_the_generator_anywhere_changes_nothing(make_trainer: MakeTrainer, plain: torch.Tensor) -> None:
    trainer = make_trainer()
    num_yields, has_ended, events = 0, False, list[Any]()
    while not has_ended:
        num_yields += 1  # an abandoned validation starts again, so more and more yields are needed to finish it
        generator = trainer.run()
        yielded = list(islice(generator, num_yields))
        events += yielded
        has_ended = len(yielded) < num_yields
        generator.close()
    assert num_yields > 5
    assert [event.probe.step for event in of_kind(events, ProbeDone)] == trainer.folder.probe_steps()
    assert trainer.step == 12
    assert torch.equal(all_weights(trainer), plain)
    assert trainer.folder.metrics()[0].tolist() == list(range(1, 13))
    assert trainer.folder.validation_steps() == [5, 10, 12]


@pytest.mark.parametrize("stop_at", [0, 4, 5, 6, 11])
def test_a_resumed_run_equals_one_that_never_stopped(
    make_trainer: MakeTrainer, plain: torch.Tensor, stop_at: int
) -> None:
    first = make_trainer()
    for _ in first.run():
        if first.step == stop_at:
            break
    finish(first.flush())
    first.save_checkpoint()
    resumed = make_trainer(folder=first.folder)
    resumed.restore(resumed.folder.checkpoint(stop_at))
    finish(resumed.run())
    assert torch.equal(all_weights(resumed), plain)
    assert resumed.folder.metrics()[0].tolist() == list(range(1, 13))


def test_more_steps_after_the_end_equal_a_longer_run(make_trainer: MakeTrainer) -> None:
    short, long = make_trainer(), make_trainer(max_steps=20, probe_every=1)
    finish(short.run())
    short.change("training.max_steps", 20)
    finish(short.run())
    finish(long.run())
    assert torch.equal(all_weights(short), all_weights(long))


def test_the_seed_decides_the_order_of_the_data(make_trainer: MakeTrainer) -> None:
    first, again, other = (next(make_trainer(seed=seed)._batches).src.tolist() for seed in (0, 0, 1))
    assert first == again != other


def test_a_different_seed_gives_different_weights(make_trainer: MakeTrainer, plain: torch.Tensor) -> None:
    trainer = make_trainer(seed=1)
    finish(trainer.run())
    assert not torch.equal(all_weights(trainer), plain)


# -- endings -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ema_decay", [None, 0.9])
def test_a_run_that_diverges_keeps_the_last_good_weights_and_says_so(
    make_trainer: MakeTrainer, ema_decay: float | None
) -> None:
    trainer = make_trainer(
        optimizer={"name": "sgd", "learning_rate": 100.0}, schedule={"name": "constant", "warmup_steps": 0},
        max_grad_norm=None, max_steps=500, checkpoint_every=1, validate_every=500, ema_decay=ema_decay,
    )  # fmt: skip
    events, reason = finish(trainer.run())
    assert reason == "diverged"
    bad_step = trainer.step + 1
    (trouble,) = of_kind(events, Trouble)
    assert f"step {bad_step}" in trouble.sentence and "learning_rate" in trouble.advice
    folder = trainer.folder
    assert folder.checkpoint_steps()[-1] == trainer.step
    kept = folder.checkpoint(trainer.step).model
    assert all(np.array_equal(kept[name], weight.numpy()) for name, weight in named_weights(trainer.model).items())
    assert torch.isfinite(all_weights(trainer)).all()
    steps, curves = folder.metrics()
    assert steps.tolist() == list(range(1, bad_step))
    assert all(np.isfinite(curve).all() for curve in curves.values())


def test_a_divergence_noticed_late_as_on_a_gpu_leaves_the_same_weights(make_trainer: MakeTrainer) -> None:
    def diverge(late: bool) -> Trainer:
        trainer = make_trainer(
            optimizer={"name": "sgd", "learning_rate": 100.0}, schedule={"name": "constant", "warmup_steps": 0},
            max_grad_norm=None, max_steps=500, checkpoint_every=500, validate_every=500, probe_every=500,
        )  # fmt: skip
        trainer._meter._is_cheap_to_read = not late  # a GPU's metrics are read only a few times a second
        assert finish(trainer.run())[1] == "diverged"
        return trainer

    noticed_early, late = diverge(late=False), diverge(late=True)
    assert noticed_early.step == late.step
    assert torch.equal(all_weights(noticed_early), all_weights(late))
    assert late.folder.metrics()[0].tolist() == list(range(1, late.step + 1))


def in_each_step(trainer: Trainer, act: Callable[[], object]) -> None:
    """Call `act` in each step between its gradients and its update."""
    written = trainer._updater._pass
    write = written.write_gradients

    def write_and_act(batches: Sequence[Batch], label_smoothing: float, num_tokens: int) -> Loss:
        loss = write(batches, label_smoothing, num_tokens)
        act()
        return loss

    setattr(written, "write_gradients", write_and_act)  # noqa: B010  (to mypy it is a method)


@pytest.mark.parametrize("late", [False, True])
def test_a_run_abandoned_before_reporting_its_divergence_is_at_the_last_good_step(
    make_trainer: MakeTrainer, late: bool
) -> None:
    trainer, is_harmful = make_trainer(), True
    gradients = trainer._updater.optimizer.parameters.gradients
    in_each_step(trainer, lambda: gradients.mul_(nan if is_harmful and trainer.step >= 6 else 1.0))
    trainer._meter._is_cheap_to_read = not late
    learning = trainer.run()
    while trainer.step < 7 and not trainer.has_diverged:
        next(learning)
    learning.close()
    finish(trainer.flush())
    assert trainer.has_diverged
    assert trainer.step == trainer.save_checkpoint().step == trainer.folder.metrics()[0][-1] == 6
    events, reason = finish(trainer.run())
    assert reason == "diverged" and "at step 7" in of_kind(events, Trouble)[0].sentence
    is_harmful, before = False, all_weights(trainer)
    assert finish(trainer.run())[1] == "max_steps"  # it can go on
    assert trainer.folder.metrics()[0].tolist() == list(range(1, 13)) and not torch.equal(all_weights(trainer), before)


def test_a_step_that_needs_too_much_memory_ends_the_run_with_advice(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer()

    too_much = True

    def allocate_too_much() -> None:
        if trainer.step == 3 and too_much:
            torch.empty(2**55)

    in_each_step(trainer, allocate_too_much)
    events, reason = finish(trainer.run())
    assert reason == "memory" and trainer.step == 3
    (trouble,) = of_kind(events, Trouble)
    assert "after step 3" in trouble.sentence and "training.batch_size" in trouble.advice and trouble.details
    too_much = False
    assert finish(trainer.run())[1] == "max_steps"  # the failed step must leave nothing behind


def test_memory_that_runs_out_before_a_divergence_is_noticed_leaves_the_last_good_weights(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a GPU, whose metrics are read late. The steps that follow may be finite again."""
    monkeypatch.setattr(step_meter, "_SECONDS_BETWEEN_REPORTS", 1e9)
    trainer, is_harmful = make_trainer(probe_every=500, validate_every=500, checkpoint_every=500), True
    trainer._meter._is_cheap_to_read = False
    gradients = trainer._updater.optimizer.parameters.gradients

    def act() -> None:
        if is_harmful and trainer.step == 8:
            gradients.fill_(nan)
        if is_harmful and trainer.step == 10:
            torch.empty(2**55)

    in_each_step(trainer, act)
    assert finish(trainer.run())[1] == "memory"
    is_harmful, good = False, all_weights(trainer)
    assert finish(trainer.run())[1] == "diverged" and trainer.step == 8
    assert torch.equal(all_weights(trainer), good)


def test_a_bug_is_not_reported_as_a_lack_of_memory(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer()
    in_each_step(trainer, lambda: torch.ones(2) @ torch.ones(3))
    with pytest.raises(RuntimeError, match="size"):
        finish(trainer.run())


def test_early_stopping_waits_for_its_patience_and_saves(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(
        optimizer={"learning_rate": 1e-30}, validate_every=1, early_stopping={"patience": 3},
        best_metric="valid/exact_match",
    )  # fmt: skip
    events, reason = finish(trainer.run())
    assert reason == "early_stopping"
    assert trainer.step == 4
    assert [event.is_best for event in of_kind(events, ValidationDone)] == [True, False, False, False]
    assert trainer.folder.state.best_step == 1 and trainer.folder.checkpoint_steps()[-1] == 4


def test_a_run_that_stopped_early_continues_with_renewed_patience(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(
        optimizer={"learning_rate": 1e-30}, validate_every=1, early_stopping={"patience": 3},
        best_metric="valid/exact_match",
    )  # fmt: skip
    finish(trainer.run())
    assert finish(trainer.run())[1] == "early_stopping" and trainer.step == 4
    trainer.renew_patience()
    assert finish(trainer.run())[1] == "early_stopping" and trainer.step == 7


def test_the_best_value_keeps_the_name_of_its_metric(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(validate_every=4, max_steps=6)
    trainer.folder.write_config(trainer.config)
    finish(trainer.run())
    trainer.change("training.best_metric", "valid/chrf")
    finish(trainer.run())
    assert summarise(trainer.folder).best_metric == "valid/loss", "there is no validation with chrF yet"
    trainer.change("training.max_steps", 8)
    finish(trainer.run())
    assert (summarise(trainer.folder).best_metric, trainer.folder.state.best_step) == ("valid/chrf", 8)
    truncate_run(trainer.folder, 6)
    assert trainer.folder.state.best_metric is None


def test_the_best_checkpoint_is_kept_besides_the_last(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(validate_every=2, checkpoint_every=100, keep_checkpoints=0)
    events, _ = finish(trainer.run())
    best = [event.step for event in of_kind(events, ValidationDone) if event.is_best][-1]
    assert set(trainer.folder.checkpoint_steps()) == {best, 12}
    assert trainer.folder.state.best_step == best


def test_it_knows_whether_a_checkpoint_would_differ_from_the_last_one(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer()
    changes: list[Callable[[], object]] = [
        lambda: None,  # nothing is saved yet
        lambda: trainer.change("training.label_smoothing", 0.2),
        lambda: trainer.add_sentence("b a"),
        lambda: finish(trainer.validate()),
    ]
    for change in changes:
        change()
        assert not trainer.is_saved
        trainer.save_checkpoint()
        assert trainer.is_saved


def test_checkpoints_in_a_folder_attached_later_are_kept_by_the_changed_settings(
    make_trainer: MakeTrainer, tmp_path: Path
) -> None:
    trainer = make_trainer(keep_checkpoints=3)
    trainer.change("training.keep_checkpoints", 0)
    folder = RunFolder.create_at(tmp_path / "moved")
    folder.write_config(trainer.initial_config)
    trainer.attach_folder(folder)
    for trainer.step in (1, 2, 3):
        trainer.save_checkpoint()
    assert folder.checkpoint_steps() == [3]


# -- settings ----------------------------------------------------------------------------------------------------------


def test_a_changed_learning_rate_takes_effect_next_step_and_survives_a_resume(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer()
    for _ in trainer.run():
        if trainer.step == 5:
            break
    event = trainer.change("training.optimizer.learning_rate", 0.5)
    assert (event.step, event.key, event.value) == (5, "training.optimizer.learning_rate", 0.5)
    trainer.save_checkpoint()
    finish(trainer.run())
    rates = trainer.folder.metrics()[1]["train/learning_rate"]
    assert rates[4] == pytest.approx(1e-3 * 5 / 400) and rates[5] == pytest.approx(0.5 * 6 / 400)
    resumed = make_trainer(folder=trainer.folder)
    resumed.restore(resumed.folder.checkpoint(5))
    assert resumed.config.training.optimizer.learning_rate == 0.5


def test_settings_fixed_for_a_run_cannot_be_changed(make_trainer: MakeTrainer) -> None:
    with pytest.raises(UserError, match=r"model\.d_model cannot change during a run"):
        make_trainer().change("model.d_model", 32)


def test_a_maximum_length_above_the_models_positions_is_refused(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer()
    longest = trainer.model.max_positions
    with pytest.raises(UserError, match=rf"decoding\.max_length: expected at most the {longest} positions") as exc_info:
        trainer.change("decoding.max_length", longest + 1)
    assert exc_info.value.advice and trainer.max_length <= longest
    trainer.change("decoding.max_length", longest)
    finish(trainer.run())
    assert trainer.max_length == longest


@pytest.mark.parametrize("metric", ["valid/blue", "train/loss", ""])
def test_an_unknown_best_metric_is_refused_before_training(make_trainer: MakeTrainer, metric: str) -> None:
    with pytest.raises(UserError, match="expected one of valid/bleu, valid/chrf"):
        make_trainer(best_metric=metric)


def test_a_plugin_that_stops_returning_the_best_metric_is_named(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It returned the metric for the right outputs that are checked at the start of the run."""
    answers = iter([{"letters": 1.0}])
    monkeypatch.setattr(PluginHost, "metrics", lambda *_: next(answers, {}))
    trainer = make_trainer(best_metric="valid/letters")
    with pytest.raises(PluginError, match=r"metrics\(\) has left out 'letters', by which training.best_metric finds"):
        finish(trainer.run())


def test_a_step_whose_pairs_could_not_be_drawn_is_repeated_with_the_same_pairs(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step has two batches, of which the first was already drawn."""
    undisturbed, disturbed = make_trainer(accumulate_steps=2), make_trainer(accumulate_steps=2)
    finish(undisturbed.run())
    next_batch, draws = TrainBatches.__next__, iter([True, True, True, False])

    def failing_once(batches: TrainBatches) -> Batch:
        if not next(draws, True):
            raise PluginError("The drive is away.")
        return next_batch(batches)

    monkeypatch.setattr(TrainBatches, "__next__", failing_once)
    with pytest.raises(PluginError):
        finish(disturbed.run())
    finish(disturbed.run())
    losses = [trainer.folder.metrics()[1]["train/loss"] for trainer in (undisturbed, disturbed)]
    np.testing.assert_array_equal(losses[0], losses[1])


def test_a_plugin_metric_with_a_built_in_name_is_refused(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PluginHost, "metrics", lambda *_: {"letters": 1.0, "loss": 0.0})
    with pytest.raises(PluginError, match=r"metrics\(\) returns 'loss', which Headlight measures itself"):
        finish(make_trainer().run())


def test_an_added_sentence_is_in_every_later_probe(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer()
    trainer.add_sentence("f e d")
    trainer.add_sentence("f e d")
    events, _ = finish(trainer.run())
    assert all(event.probe.sentences[-1].source == "f e d" for event in of_kind(events, ProbeDone))
    assert len(trainer.probe_sentences) == 5
    with pytest.raises(UserError, match="the text is empty"):
        trainer.add_sentence("  ")


# -- a full disk -------------------------------------------------------------------------------------------------------


WRITES = ["append_metrics", "write_probe", "write_snapshot", "write_validation", "save_checkpoint"]


@pytest.mark.parametrize("method", WRITES)
def test_after_a_full_disk_the_failed_write_is_repeated(
    make_trainer: MakeTrainer, plain: torch.Tensor, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    trainer = make_trainer(probe_every=4)
    write, failures = getattr(RunFolder, method), list[int]()

    def write_or_fail(folder: RunFolder, *arguments: Any, **options: Any) -> None:
        if trainer.step >= 5 and len(failures) < 2:
            failures.append(trainer.step)
            raise OSError(28, "No space left on device")
        write(folder, *arguments, **options)

    monkeypatch.setattr(RunFolder, method, write_or_fail)
    for _ in range(2):
        with pytest.raises(OSError, match="No space"):
            finish(trainer.run())
    finish(trainer.run())
    assert torch.equal(all_weights(trainer), plain)
    assert trainer.folder.metrics()[0].tolist() == list(range(1, 13))
    assert trainer.folder.validation_steps() == [5, 10, 12]
    assert trainer.folder.probe_steps() == [0, 1, 2, 3, 4, 5, 8, 12]


def test_evaluation_covers_the_whole_split_and_writes_nothing(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer()
    _, evaluation = finish(trainer.evaluate("test", trainer.config.decoding))
    assert evaluation.sentences == len(evaluation.predictions) == trainer.data.num_pairs["test"]
    assert set(evaluation.metrics) == {*TEACHER_FORCED, *FREE_RUNNING, "sequence_error_rate"}
    wrong = sum(reference != hypothesis for _, reference, hypothesis in evaluation.predictions)
    assert wrong and evaluation.metrics["sequence_error_rate"] == pytest.approx(wrong / evaluation.sentences)
    assert trainer.folder.validation_steps() == []
