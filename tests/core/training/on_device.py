"""What must hold on every device but the CPU, simulated or real."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.config import DecodingConfig, RunConfig, TrainingConfig
from core.data.batch import Batch
from core.data.prepared_data import PreparedData
from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID
from core.decoding.decode import decode, decode_n_best
from core.events import ValidationDone
from core.model.transformer import Transformer
from core.plugins_host.host import PluginHost
from core.run_folder import RunFolder
from core.training.moving_average import MovingAverage
from core.training.resolve import resolve
from core.training.step_meter import StepMeter
from core.training.trainer import Trainer
from core.training.updater import StepMetrics, Updater
from tests.core.model.builders import padded, small_model
from tests.core.training.small_runs import DATASET, MODEL, finish

CPU = torch.device("cpu")
SOURCES = [[4, 5, 6, 7, 8, EOS_ID], [9, EOS_ID], [10, 4, 4, EOS_ID]]
TARGETS = [[4, 6, EOS_ID], [5, EOS_ID], [12, 11, 4, 7, EOS_ID]]


def small_batch() -> Batch:
    src, tgt_output = padded(SOURCES), padded(TARGETS)
    tgt_input = padded([[BOS_ID, *target[:-1]] for target in TARGETS])
    tgt_mask = tgt_output != PAD_ID
    return Batch(src, src != PAD_ID, tgt_input, tgt_output, tgt_mask, int(tgt_mask.sum()))


def learner_on(device: torch.device, model: Transformer, **more: Any) -> tuple[Updater, TrainingConfig]:
    training = TrainingConfig(label_smoothing=0.1, max_grad_norm=0.5, ema_decay=0.9, **more)
    return Updater(model, training, device), training


def learned(device: torch.device, variant: dict[str, Any]) -> list[Any]:
    """The metrics of two steps of two batches each, the averaged weights, and decoded outputs."""
    sgd = {"name": "sgd", "momentum": 0.9}  # Adam would amplify rounding errors of gradients that are zero
    updater, training = learner_on(device, small_model(**variant), optimizer=sgd)
    average = MovingAverage(updater.model, updater.optimizer, 0.9)
    steps = []
    for step in (1, 2):
        steps.append([float(one) for one in updater.step([small_batch(), small_batch()], training, 0.1)])
        average.update(step)
    src = padded(SOURCES).to(device)
    greedy, beam = DecodingConfig(beam_size=1), DecodingConfig(beam_size=3)
    outputs = [one.tokens for one in decode(average.model, src, src != PAD_ID, greedy, 12)]
    n_best = [[one.tokens for one in beams] for beams in decode_n_best(average.model, src, src != PAD_ID, beam, 12)]
    weights = [weight.cpu() for weight in average.model.parameters()]
    return [steps, weights, outputs, n_best, updater.optimizer.is_finite]


def assert_it_trains_and_decodes_like_the_cpu(device: torch.device, variant: dict[str, Any]) -> None:
    """The same metrics, weights and outputs, up to rounding."""
    (steps, weights, *rest), (steps_there, weights_there, *rest_there) = (
        learned(one, variant) for one in (CPU, device)
    )
    assert rest_there == rest
    torch.testing.assert_close(steps_there, steps, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(weights_there, weights, rtol=1e-5, atol=1e-6)


def steps_taken(device: torch.device, precision: str, optimizer: str) -> Callable[[], StepMetrics]:
    """A function that takes a step of two batches, averages and records it; returns what was measured, not yet read."""
    model = small_model(dropout=0.1, attention_dropout=0.1, positions="learned")
    updater, training = learner_on(device, model, precision=precision, optimizer={"name": optimizer})
    average, meter = MovingAverage(model, updater.optimizer, 0.9), StepMeter(device)
    step = 0

    def take_step() -> StepMetrics:
        nonlocal step
        step += 1
        measured = updater.step([small_batch(), small_batch()], training, 0.01)
        average.update(step)
        meter.record(step, measured, rate=0.01, num_tokens=10, seconds=0.1, epoch=0.0)
        return measured

    return take_step


def assert_a_run_is_probed_validated_saved_and_resumed(
    device: torch.device, data: PreparedData, host: PluginHost, tmp_path: Path
) -> None:
    """As on the CPU, up to rounding; resumed, to the bit as without the interruption."""
    training = {"max_steps": 6, "batch_size": 8, "validate_every": 3, "checkpoint_every": 3, "num_threads": 1}
    document = {"dataset": DATASET, "model": {**MODEL, "dropout": 0.0}, "training": {**training, "device": "cpu"}}
    config = resolve(RunConfig.model_validate(document), data)

    def trainer_on(device: torch.device, folder: RunFolder) -> Trainer:
        there = config.model_copy(update={"training": config.training.model_copy(update={"device": str(device)})})
        trainer = Trainer(there, data, host)
        trainer.attach_folder(folder)
        return trainer

    folders = [RunFolder.create_at(tmp_path / name) for name in ("processor", "accelerator", "resumed")]
    for one, folder in zip((CPU, device), folders, strict=False):
        trainer = trainer_on(one, folder)
        events, reason = finish(trainer.run())
        trainer.close()
        assert reason == "max_steps" and [one.step for one in events if isinstance(one, ValidationDone)] == [3, 6]
    resumed = trainer_on(device, folders[2])
    resumed.restore(folders[1].checkpoint(3))
    finish(resumed.run())
    resumed.close()
    here, there, again = (folder.weights(6) for folder in folders)
    for name, weight in here.items():
        np.testing.assert_allclose(there[name], weight, rtol=1e-4, atol=1e-4)
        np.testing.assert_array_equal(again[name], there[name])
    probes = [folder.probe(6).sentences[0].encoder_self for folder in folders[:2]]
    np.testing.assert_allclose(probes[1], probes[0], atol=1e-3)
    losses = [folder.validation_metrics()[6]["valid/loss"] for folder in folders[:2]]
    assert losses[1] == pytest.approx(losses[0], abs=1e-4)
