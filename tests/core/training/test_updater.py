"""A step's gradient is that of the mean over all target tokens, however the batches are divided and padded."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.config import ModelConfig, TrainingConfig
from core.data.batch import Batch
from core.data.batching import make_batch
from core.data.prepared_data import PreparedData
from core.model.transformer import Transformer
from core.torchrun import ProcessRank
from core.training.distributed import ALONE, Processes, SeveralProcesses
from core.training.updater import StepMetrics, Updater
from tests.core.training.small_runs import MODEL

CPU = torch.device("cpu")


def learn_once(
    data: PreparedData, batches: list[Batch], processes: Processes = ALONE, **training: object
) -> tuple[Updater, StepMetrics]:
    torch.manual_seed(0)
    config = TrainingConfig.model_validate(
        {"optimizer": {"name": "sgd"}, "max_grad_norm": None, "device": "cpu", **training}
    )
    model = Transformer(
        ModelConfig.model_validate({**MODEL, "dropout": 0.0}), len(data.src_vocabulary), len(data.tgt_vocabulary), 8
    )
    updater = Updater(model, config, CPU, processes)
    return updater, updater.step(batches, config, 1.0)


def first(data: PreparedData, start: int, end: int) -> Batch:
    return make_batch(data.split("train"), np.arange(start, end))


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_accumulating_two_unequal_halves_equals_one_batch(data: PreparedData, label_smoothing: float) -> None:
    one_batch, measured = learn_once(data, [first(data, 0, 32)], label_smoothing=label_smoothing)
    halves, measured_halves = learn_once(
        data, [first(data, 0, 11), first(data, 11, 32)], label_smoothing=label_smoothing
    )
    torch.testing.assert_close(
        one_batch.optimizer.parameters.values, halves.optimizer.parameters.values, rtol=1e-4, atol=1e-6
    )
    torch.testing.assert_close(tuple(measured), tuple(measured_halves))


def test_gradients_are_summed_over_processes_once_per_step(data: PreparedData, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second process runs first: its gradients are recorded, and then added to those of the first process."""
    batches = [first(data, start, start + 8) for start in range(0, 32, 8)]
    sent: list[list[torch.Tensor]] = [[], []]

    def learn_as(rank: int) -> tuple[Updater, StepMetrics]:
        def all_reduce(own: torch.Tensor, group: object) -> None:
            index = len(sent[rank])
            sent[rank].append(own.clone())
            if rank == 0:
                own += sent[1][index]

        monkeypatch.setattr(torch.distributed, "all_reduce", all_reduce)
        return learn_once(data, batches, SeveralProcesses(ProcessRank(rank, 2)), accumulate_steps=4)

    learn_as(1)
    two_processes, measured = learn_as(0)
    num_weights = two_processes.optimizer.parameters.values.numel()
    # Gradients, then the two losses.
    assert [[tensor.numel() for tensor in one] for one in sent] == [[num_weights, 2]] * 2
    one_process, measured_by_one = learn_once(data, [first(data, 0, 32)])
    torch.testing.assert_close(
        two_processes.optimizer.parameters.values, one_process.optimizer.parameters.values, rtol=1e-4, atol=1e-6
    )
    torch.testing.assert_close(tuple(measured), tuple(measured_by_one))


def test_the_reported_loss_is_the_mean_over_tokens_without_padding(data: PreparedData) -> None:
    batch = first(data, 0, 8)
    _, measured = learn_once(data, [batch], label_smoothing=0.1)
    torch.manual_seed(0)
    model = Transformer(
        ModelConfig.model_validate({**MODEL, "dropout": 0.0}), len(data.src_vocabulary), len(data.tgt_vocabulary), 8
    )
    log_probabilities = model(batch.src, batch.tgt_input, batch.src_mask, batch.tgt_mask).log_softmax(-1)
    nll = -log_probabilities.gather(-1, batch.tgt_output[:, :, None])[:, :, 0][batch.tgt_mask]
    assert batch.num_target_tokens == len(nll) < batch.tgt_output.numel()
    torch.testing.assert_close(measured.loss, nll.mean().detach())
    assert float(measured.objective) > 0.0 and float(measured.objective) != float(measured.loss)


def test_padding_does_not_affect_the_loss(data: PreparedData) -> None:
    batch = first(data, 8, 16)
    changed = batch.tgt_output.masked_fill(~batch.tgt_mask, 5)
    other = Batch(batch.src, batch.src_mask, batch.tgt_input, changed, batch.tgt_mask, batch.num_target_tokens)
    (_, own), (_, of_padded) = learn_once(data, [batch]), learn_once(data, [other])
    assert torch.equal(own.objective, of_padded.objective)


def test_bfloat16_keeps_float32_weights_and_stays_close(data: PreparedData) -> None:
    batches = [first(data, 0, 32)]
    full, measured = learn_once(data, batches)
    in_bfloat16, measured_half = learn_once(data, batches, precision="bfloat16")
    assert in_bfloat16.optimizer.parameters.values.dtype == torch.float32
    assert not torch.equal(full.optimizer.parameters.values, in_bfloat16.optimizer.parameters.values)
    torch.testing.assert_close(measured.loss, measured_half.loss, rtol=2e-2, atol=1e-2)
