"""Weights as the passes read them, and where their gradients are written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from core.training.flat_parameters import FlatParameters


class Weight(NamedTuple):
    """A parameter's value in the type computed in, and the tensors for its gradient."""

    value: Tensor
    gradient: Tensor  # in the same type: overwritten by each batch
    total_gradient: Tensor  # where the optimizer reads; gradients that accumulate piece by piece are added here, last


class Weights:
    """Every parameter of a model as a `Weight`.

    In float32 these are the model's own tensors, and `gradient` is `total_gradient`. In bfloat16 they are copies: one
    cast of the flat values a step, where autocast casts weight by weight, and one of the flat gradients a batch. What
    accumulates over tokens and batches, and what the optimizer reads, is float32. Gradients are overwritten rather than
    zeroed and added to: that saves 5.7 ms for 12 million (one thread), and an addition for each small tensor.
    """

    def __init__(
        self, model: nn.Module, parameters: FlatParameters, dtype: torch.dtype, accumulated_only: Iterable[Tensor] = ()
    ) -> None:
        """`accumulated_only` are the parameters whose gradients no pass overwrites, but only adds to the totals."""
        self.dtype, self.device = dtype, parameters.values.device
        self._parameters = parameters
        self._is_copy = dtype != parameters.values.dtype
        self._values = parameters.values.to(dtype)
        self._gradients = parameters.gradients.to(dtype)
        self._num_earlier = 0  # of the step's batches, before this one
        self._earlier_sum = parameters.gradients.new_empty(0)  # over these batches
        values, gradients, totals = map(parameters.named_views, (self._values, self._gradients, parameters.gradients))
        self._by_id = {
            id(parameter): Weight(values[name], gradients[name], totals[name])
            for name, parameter in model.named_parameters()
        }
        self._accumulated_only = [self[parameter].total_gradient for parameter in accumulated_only]

    def __getitem__(self, parameter: Tensor) -> Weight:
        return self._by_id[id(parameter)]

    def optional(self, parameter: Tensor | None) -> Weight | None:
        """`weights[parameter]`; None for a bias that the model does not have."""
        return None if parameter is None else self[parameter]

    def begin_step(self) -> None:
        """Copy the current weights, in bfloat16."""
        if self._is_copy:
            self._values.copy_(self._parameters.values)

    def begin_batch(self, num_earlier: int) -> None:
        """Set aside what the step's earlier batches left in the totals.

        In the same memory at each step: copying 12 million takes 9 to 18 ms (one thread), and to new memory 58 to 100.
        """
        self._num_earlier, totals = num_earlier, self._parameters.gradients
        if num_earlier == 1:
            if len(self._earlier_sum) == 0:
                self._earlier_sum = torch.empty_like(totals)
            self._earlier_sum.copy_(totals)
        elif num_earlier > 1:
            self._earlier_sum.add_(totals)

    def begin_total_gradients(self) -> None:
        """Once all gradients are written, bring them into the totals, so that embeddings can add theirs."""
        if self._is_copy:
            self._parameters.gradients.copy_(self._gradients)
        else:
            for total_gradient in self._accumulated_only:
                total_gradient.zero_()

    def end_step(self) -> None:
        """Add the step's earlier batches to the totals."""
        if self._num_earlier > 0:
            self._parameters.gradients.add_(self._earlier_sum)


def at_least_float32(dtype: torch.dtype) -> torch.dtype:
    """The type that softmax and losses are computed in."""
    return torch.float32 if dtype == torch.bfloat16 else dtype
