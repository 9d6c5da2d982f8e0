"""One step: batches in, one optimizer update, its measurements out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from core.config import TrainingConfig
from core.data.batch import Batch
from core.model.transformer import Transformer
from core.training.distributed import ALONE, Processes
from core.training.flat_parameters import FlatParameters
from core.training.optimization import Optimizer
from core.training.passes.training import TrainingPass


class StepMetrics(NamedTuple):
    """Means over the step's target tokens, and the norm before clipping; scalars on the device, not yet read.

    On a GPU, the next step may overwrite the norm.
    """

    loss: Tensor
    objective: Tensor
    grad_norm: Tensor


class Updater:
    """Takes training steps: has the optimizer, and moves the model to the device and its parameters into one tensor."""

    def __init__(
        self, model: Transformer, training: TrainingConfig, device: torch.device, processes: Processes = ALONE
    ) -> None:
        self.model = model.to(device)
        parameters = FlatParameters(model)
        self.optimizer = Optimizer(training.optimizer, parameters)
        self._processes = processes
        self._pass = TrainingPass(model, parameters, training.precision == "bfloat16")

    @property
    def tensors(self) -> list[Tensor]:
        """All that the next step depends on besides its batches and settings."""
        return [self.optimizer.parameters.values, *self.optimizer.tensors]

    def first_not_finite(self) -> str:
        """The first tensor that holds a number that is not finite, in words; empty if there is none."""
        parameters = self.optimizer.parameters
        kinds = {
            "the weight": parameters.named_views(parameters.values),
            "the optimizer's": self.optimizer.state(),
            "the gradient of": parameters.named_views(parameters.gradients),
        }
        for kind, tensors in kinds.items():
            for name, tensor in tensors.items():
                if not bool(tensor.isfinite().all()):
                    return f"{kind} {name}"
        return ""

    @torch.no_grad()
    def step(self, batches: Sequence[Batch], training: TrainingConfig, learning_rate: float) -> StepMetrics:
        """Update once, with the gradient of the mean over all target tokens of all batches, however those are cut.

        Raises ProcessLost, and updates nothing, if another process of the run is gone.
        """
        num_tokens = sum(batch.num_target_tokens for batch in batches)
        local_batches = self._processes.local_batches(batches)
        local_loss = self._pass.write_gradients(local_batches, training.label_smoothing, num_tokens)
        objective, loss = self._processes.all_reduce(self.optimizer.parameters.gradients, local_loss)
        norm = self.optimizer.update(learning_rate, training.optimizer.weight_decay, training.max_grad_norm)
        return StepMetrics(loss, objective, norm)
