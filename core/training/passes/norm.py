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
        self._bias_value = None if self._bias is None else self._bias.value
        self._output_mask = [True, True, self._bias is not None]

    def forward(self, x: Tensor) -> Tensor:
        """[N, d_model] -> [N, d_model]."""
        y, mean, inverse_deviation = torch.native_layer_norm(
            x, self._shape, self._weight.value, self._bias_value, self._eps
        )
        self._saved = x, mean, inverse_deviation
        return y

    def backward(self, gradient: Tensor) -> Tensor:
        """Return the gradient of x, given that of y."""
        x, mean, inverse_deviation = self._saved
        d_x: Tensor
        d_x, d_weight, d_bias = torch.ops.aten.native_layer_norm_backward(
            gradient, x, self._shape, mean, inverse_deviation, self._weight.value, self._bias_value, self._output_mask
        )
        del self._saved
        self._weight.gradient.copy_(d_weight)
        if self._bias is not None:
            self._bias.gradient.copy_(d_bias)
        return d_x
