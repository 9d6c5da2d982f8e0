"""An exponential moving average of the weights, evaluated in place of the newest weights."""

from __future__ import annotations

import copy
from collections.abc import Mapping

import torch
from torch import Tensor

from core.model.transformer import Transformer
from core.model.weights import load_weights, named_weights
from core.training.optimization import Optimizer

_TRAINED = "trained."  # the prefix, in a checkpoint, of the weights that training continues from


class MovingAverage:
    """average <- decay * average + (1 - decay) * weights after each step (Polyak and Juditsky 1992), beginning with the
    untrained weights.

    At step t the decay is at most (1 + t) / (10 + t), as in TensorFlow's ExponentialMovingAverage: without that, a
    decay of 0.999 would show mostly the untrained weights for the first thousand steps. One operation over the flat
    weights, in place: 8 ms for 12 million (one thread), as long as reading and writing them takes.
    A step that the optimizer refuses leaves the average unchanged too, again without a synchronisation.
    """

    def __init__(self, trained: Transformer, optimizer: Optimizer, decay: float) -> None:
        """`optimizer` is that of `trained`, on its device."""
        self.model = copy.deepcopy(trained)  # its weights are the average
        self._trained = trained
        self._decay = decay
        self._optimizer = optimizer
        self._average = optimizer.parameters.values.clone()
        averages = optimizer.parameters.named_views(self._average)
        for name, parameter in self.model.named_parameters():
            parameter.data = averages[name]

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Update the average with the weights after `step`, counted from 1."""
        weight = 1.0 - min(self._decay, (1 + step) / (10 + step))
        self._average.lerp_(self._optimizer.parameters.values, weight * (1.0 - self._optimizer.found_inf))

    def state(self) -> dict[str, Tensor]:
        """The weights that training continues from; a checkpoint's model weights are the average."""
        return {f"{_TRAINED}{name}": weight for name, weight in named_weights(self._trained).items()}

    def start_from(self, weights: Mapping[str, Tensor]) -> None:
        """Start both training and average from these weights. Raises UserError as `load_state` does."""
        for model in (self._trained, self.model):
            load_weights(model, weights)

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Restore what `state` returned, from among other tensors. Raises UserError for another model's."""
        trained = {name.removeprefix(_TRAINED): part for name, part in state.items() if name.startswith(_TRAINED)}
        load_weights(self._trained, trained)
