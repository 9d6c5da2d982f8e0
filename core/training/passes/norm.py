"""LayerNorm (Ba et al. 2016)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.training.passes.weights import Weights


class LayerNormPass:
    """y = (x - mean) / deviation * w + b, for each row on its own."""

    def __init__(self, norm: nn.LayerNorm, weights: Weights) -> None:
        self._shape, self._eps = list(norm.normalized_shape), norm.eps
        self._weight, self._bias = weights[norm.weight], weights.optional(norm.bias)
        self._value_of_bias = None if self._bias is None else self._bias.value
        self._wanted = [True, True, self._bias is not None]

    def forward(self, x: Tensor) -> Tensor:
        """[N, d_model] -> [N, d_model]."""
        y, mean, inverse_deviation = torch.native_layer_norm(
            x, self._shape, self._weight.value, self._value_of_bias, self._eps
        )
        self._kept = x, mean, inverse_deviation
        return y

    def backward(self, gradient: Tensor) -> Tensor:
        """Return the gradient of x, given that of y."""
        d_x: Tensor
        d_x, d_weight, d_bias = torch.ops.aten.native_layer_norm_backward(
            gradient, self._kept[0], self._shape, *self._kept[1:], self._weight.value, self._value_of_bias, self._wanted
        )
        del self._kept
        self._weight.gradient.copy_(d_weight)
        if self._bias is not None:
            self._bias.gradient.copy_(d_bias)
        return d_x
