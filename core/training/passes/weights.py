"""Weights as the passes read them, and the places where their gradients go."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from core.training.flat_parameters import FlatParameters


class Weight(NamedTuple):
    """A parameter's value in the type that is computed in, and what its gradient is added to."""

    value: Tensor
    gradient: Tensor  # of one batch, in the same type
    total: Tensor  # of all batches, in the type of the model's own parameters: for what is added up piece by piece


class Weights:
    """Every parameter of a model as a `Weight`.

    In float32 these are the model's own. In bfloat16 they are copies: one cast of the flat values a step, where
    autocast casts weight by weight, and one of the flat gradients. What is added up over batches, and what the
    optimizer reads, is float32.
    """

    def __init__(self, model: nn.Module, parameters: FlatParameters, dtype: torch.dtype) -> None:
        self._parameters = parameters
        self._is_copy = dtype != parameters.values.dtype
        self._is_first_batch = True
        self._values = parameters.values.to(dtype)
        self._gradients = parameters.gradients.to(dtype)
        self.dtype, self.device = dtype, parameters.values.device
        values, gradients, totals = map(parameters.parts, (self._values, self._gradients, parameters.gradients))
        self._by_id = {
            id(parameter): Weight(values[name], gradients[name], totals[name])
            for name, parameter in model.named_parameters()
        }

    def __getitem__(self, parameter: Tensor) -> Weight:
        return self._by_id[id(parameter)]

    def optional(self, parameter: Tensor | None) -> Weight | None:
        """As above; None of a bias that the model does not have."""
        return None if parameter is None else self[parameter]

    def begin_step(self) -> None:
        """Read the weights of this moment; all gradients are zero."""
        self._is_first_batch = True
        if self._is_copy:
            self._values.copy_(self._parameters.values)

    def add_to_totals(self) -> None:
        """Add a batch's gradients to the totals."""
        if not self._is_copy:
            return
        if self._is_first_batch:  # 7 ms for 12 million weights, where adding to zeros takes 33 (one thread)
            self._parameters.gradients.copy_(self._gradients)
        else:
            self._parameters.gradients.add_(self._gradients)
        self._gradients.zero_()
        self._is_first_batch = False


def at_least_float32(dtype: torch.dtype) -> torch.dtype:
    """What sums, softmax and losses are worked out in."""
    return torch.float32 if dtype == torch.bfloat16 else dtype
