"""A run by graphs, here without a GPU, does as one without, whatever happens between its steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from core.answers.head_ablation import HeadId
from core.config import RunConfig
from core.data.prepared_data import PreparedData
from core.model.heads_off import heads_off
from core.model.weights import named_weights
from core.plugins_host.host import PluginHost
from core.run_folder import RunFolder
from core.training.cuda_graphs import CudaGraphs
from core.training.passes.batch_graphs import BatchGraphs
from core.training.resolve import resolve
from core.training.trainer import Trainer
from tests.core.training.graphs_without_gpu import let_graphs_repeat
from tests.core.training.small_runs import DATASET, MODEL, finish

SGD = {"name": "sgd", "momentum": 0.9, "learning_rate": 0.1}  # Adam would amplify rounding errors of zero gradients


def use_graphs(trainer: Trainer) -> None:
    updater = trainer._updater
    updater._pass._graphs = BatchGraphs(updater.model)
    updater.optimizer._graphs = CudaGraphs(torch.device("cpu"))


def num_graphs(trainer: Trainer) -> int:
    graphs = trainer._updater._pass._graphs
    assert graphs is not None
    return len(graphs._graphs._graphs)


def addresses(trainer: Trainer) -> list[int]:
    """Of everything that graphs read and write again at each step."""
    updater = trainer._updater
    parameters = updater.optimizer.parameters
    tensors = *updater.tensors, parameters.gradients, *named_weights(updater.model).values()
    return [tensor.data_ptr() for tensor in tensors]


def all_weights(trainer: Trainer) -> Tensor:
    """Those trained, and those shown: with `ema_decay`, their average."""
    values = trainer._updater.optimizer.parameters.values
    return torch.cat([values, *(weight.flatten() for weight in named_weights(trainer.model).values())]).clone()


def train_until(trainer: Trainer, step: int) -> None:
    for _ in trainer.run():
        if trainer.step == step:
            return


def live_through(trainer: Trainer) -> list[Tensor]:
    """Train with all that may happen between two steps; return the weights after each part."""
    weights = []
    for step in range(1, 5):
        train_until(trainer, step)
        weights.append(all_weights(trainer))
    for key, value in {"label_smoothing": 0.2, "max_grad_norm": 0.1, "optimizer.weight_decay": 0.5}.items():
        trainer.change(f"training.{key}", value)
        train_until(trainer, trainer.step + 3)
        weights.append(all_weights(trainer))
    finish(trainer.flush())
    finish(trainer.validate())
    with heads_off(trainer.model, [HeadId("cross", 0, 1)]):
        trainer.probe()
    trainer.save_checkpoint()
    train_until(trainer, trainer.step + 2)
    weights.append(all_weights(trainer))
    trainer.restore(trainer.folder.checkpoint(13))
    train_until(trainer, 15)
    torch.testing.assert_close(all_weights(trainer), weights[-1], rtol=0, atol=0)
    kept = {name: torch.from_numpy(array).clone() for name, array in trainer.folder.weights(13).items()}
    trainer.start_from(kept, 13)
    train_until(trainer, 16)
    return [*weights, all_weights(trainer)]


@pytest.mark.parametrize("training", [{}, {"ema_decay": 0.9, "accumulate_steps": 3}, {"batch_tokens": 40}], ids=str)
def test_it_follows_changed_settings_and_restored_weights(
    training: dict[str, Any], data: PreparedData, host: PluginHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_graphs_repeat(monkeypatch)
    sizes = {"batch_size": 8} if "batch_tokens" not in training else {}
    small = {"max_steps": 40, "num_threads": 1, "device": "cpu", "precision": "float32", "optimizer": SGD, **sizes}
    document = {"dataset": DATASET, "model": {**MODEL, "dropout": 0.0}, "training": {**small, **training}}
    config = resolve(RunConfig.model_validate(document), data)
    results = []
    for name in ("without", "with"):
        trainer = Trainer(config, data, host)
        trainer.attach_folder(RunFolder.create_at(tmp_path / name))
        trainer.folder.write_config(config)
        before = addresses(trainer)
        if name == "with":
            use_graphs(trainer)
        results.append(live_through(trainer))
        assert addresses(trainer) == before
        trainer.close()
    assert num_graphs(trainer) > 0
    torch.testing.assert_close(results[1], results[0], rtol=1e-4, atol=1e-5)
