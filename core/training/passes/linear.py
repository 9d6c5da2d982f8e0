"""A linear map of rows."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.training.passes.relu import relu_
from core.training.passes.weights import Weights


class LinearPass:
    """y = x W' + b, so dx = dy W, dW = dy' x and db = the rows' sum of dy."""

    def __init__(self, linear: nn.Linear, weights: Weights) -> None:
        self.weight = weights[linear.weight]
        self.bias = weights.optional(linear.bias)
        self._transposed = self.weight.value.t()
        self._has_fused_bias = self.bias is not None and _is_fused(self.weight.value)

    def forward(self, x: Tensor) -> Tensor:
        """[N, d_in] -> [N, d_out]. The caller keeps x."""
        if self._has_fused_bias:
            return self._fused(x, "none")
        if self.bias is None:
            return torch.mm(x, self._transposed)
        return torch.addmm(self.bias.value, x, self._transposed)

    def forward_relu(self, x: Tensor) -> Tensor:
        """max(y, 0)."""
        return self._fused(x, "relu") if self._has_fused_bias else relu_(self.forward(x))

    def _fused(self, x: Tensor, activation: str) -> Tensor:
        """What the compiler would make of a linear map: `addmm` writes the bias to all rows first, and reads it again.

        A medium step takes 483 ms instead of 503 in float32, and 245 instead of 254 in bfloat16.
        """
        assert self.bias is not None
        y: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.weight.value, self.bias.value, activation, [], "")
        return y

    def backward(self, gradient: Tensor, x: Tensor) -> Tensor:
        """From the gradient of y [N, d_out], with the x it was made from, that of x."""
        torch.mm(gradient.t(), x, out=self.weight.gradient)
        if self.bias is not None:
            torch.sum(gradient, 0, out=self.bias.gradient)
        return torch.mm(gradient, self.weight.value)

    def backward_rows(self, gradient: Tensor, x: Tensor, d_x: Tensor, *, is_first: bool) -> None:
        """The same for some of the rows at a time: writes their gradient to d_x, and adds to that of the weights."""
        beta = 0 if is_first else 1
        torch.addmm(self.weight.gradient, gradient.t(), x, beta=beta, out=self.weight.gradient)
        if self.bias is not None:
            self.bias.gradient.mul_(beta).add_(gradient.sum(0))
        torch.mm(gradient, self.weight.value, out=d_x)


def _is_fused(weight: Tensor) -> bool:
    """Whether oneDNN, where torch was built with it, can multiply numbers of this type and add a bias at once."""
    if weight.device.type != "cpu" or not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return False
    if weight.dtype == torch.bfloat16:
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    return weight.dtype == torch.float32
