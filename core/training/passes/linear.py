"""A linear map of rows."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.training.passes.weights import Weights


class LinearPass:
    """y = x W' + b, so dx = dy W, dW = dy' x and db = the rows' sum of dy."""

    def __init__(self, linear: nn.Linear, weights: Weights) -> None:
        self.weight = weights[linear.weight]
        self.bias = weights.optional(linear.bias)
        self._transposed = self.weight.value.t()

    def forward(self, x: Tensor) -> Tensor:
        """[N, d_in] -> [N, d_out]. The caller keeps x."""
        if self.bias is None:
            return torch.mm(x, self._transposed)
        return torch.addmm(self.bias.value, x, self._transposed)

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
