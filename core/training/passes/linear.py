"""A linear layer, applied to rows."""

from __future__ import annotations

import sys

import torch
from torch import Tensor, nn

from core.machine import onednn
from core.training.passes.relu import relu_
from core.training.passes.weights import Weights, at_least_float32

# Results with fewer elements are computed faster without oneDNN: a step of copy_task takes 5.8 ms instead of 6.4.
_MIN_FUSED_ELEMENTS = 1 << 18
# Multiplications in a weight's gradient. With fewer, the copy costs what the product saves.
_MIN_WORK_TO_COPY = 1 << 24


class LinearPass:
    """y = x W' + b, so dx = dy W, dW = dy' x, and db is dy summed over the rows."""

    def __init__(self, linear: nn.Linear, weights: Weights) -> None:
        self.weight = weights[linear.weight]
        self.bias = weights.optional(linear.bias)
        self._transposed = self.weight.value.t()
        can_fuse = self.bias is not None and onednn.can_multiply(self.weight.value)
        self._min_fused_rows = _MIN_FUSED_ELEMENTS // len(self.weight.value) if can_fuse else sys.maxsize

    def forward(self, x: Tensor) -> Tensor:
        """[N, d_in] -> [N, d_out]. The caller keeps x."""
        if self._uses_onednn(x):
            return self._onednn_linear(x, "none")
        if self.bias is None:
            return torch.mm(x, self._transposed)
        return torch.addmm(self.bias.value, x, self._transposed)

    def forward_relu(self, x: Tensor) -> Tensor:
        """max(y, 0)."""
        return self._onednn_linear(x, "relu") if self._uses_onednn(x) else relu_(self.forward(x))

    def _uses_onednn(self, x: Tensor) -> bool:
        """Whether oneDNN's product is faster, or can add the bias as it writes the result.

        `addmm` first writes the bias to all rows, and then reads it again. With 3 + 3 layers of d_model 256 a step of
        2,048 tokens takes 483 ms instead of 503 in float32, and 245 instead of 254 in bfloat16, where this is all there
        is to gain.
        """
        return len(x) >= self._min_fused_rows or onednn.is_faster(len(x), self.weight.value)

    def _onednn_linear(self, x: Tensor, activation: str) -> Tensor:
        return onednn.linear(x, self.weight.value, None if self.bias is None else self.bias.value, activation)

    def backward(self, gradient: Tensor, x: Tensor) -> Tensor:
        """Given the gradient of y [N, d_out] and its x, write those of weight and bias, and return that of x."""
        if self._is_worth_copying(x):
            self.weight.gradient.copy_(_product_of_columns(gradient, x))
        else:
            torch.mm(gradient.t(), x, out=self.weight.gradient)
        if self.bias is not None:
            torch.sum(gradient, 0, out=self.bias.gradient)
        if onednn.is_faster(len(x), self.weight.value):
            return onednn.linear(gradient, self._transposed)
        return torch.mm(gradient, self.weight.value)

    @property
    def gradients(self) -> list[Tensor]:
        """Where those of weight and bias are written."""
        return [self.weight.gradient] if self.bias is None else [self.weight.gradient, self.bias.gradient]

    def begin_chunks(self, x: Tensor, num_counted: int | Tensor, shift: float) -> Tensor:
        """Prepare `backward_chunk` on some rows of x at a time, with `shift` added to all their gradients of y.

        Of the rows, `num_counted` count; the others are zero.

        The shift is added once, to the sums in which it appears, without a pass over the gradients. Returns the weights
        summed over y [d_in], for the caller to use again: to sum bfloat16, torch first converts all of it to float32.
        """
        wide = at_least_float32(x.dtype)
        self.weight.gradient.copy_(x.sum(0, dtype=wide).mul_(shift))
        if self.bias is not None:
            self.bias.gradient.fill_(num_counted * shift)
        sums = self.weight.value.sum(0, dtype=wide)
        self._d_x_shift = sums.mul(shift).to(x.dtype)
        return sums

    def backward_chunk(self, gradient: Tensor, x: Tensor, d_x: Tensor, scale: float, counted: Tensor | None) -> None:
        """As `backward`, for `scale` times the gradient: writes that of x to d_x, adds to those of weight and bias.

        Where `counted` [N, 1] is zero instead of one, a row counts for nothing, and its d_x means nothing.
        """
        if self._is_worth_copying(x):
            self.weight.gradient.add_(_product_of_columns(gradient, x), alpha=scale)
        else:
            self.weight.gradient.addmm_(gradient.t(), x, alpha=scale)
        if self.bias is not None:
            sums = gradient.sum(0) if counted is None else torch.mv(gradient.t(), counted[:, 0])
            self.bias.gradient.add_(sums, alpha=scale)
        if onednn.is_faster(len(x), self.weight.value):
            torch.add(self._d_x_shift, onednn.linear(gradient, self._transposed), alpha=scale, out=d_x)
        else:
            torch.addmm(self._d_x_shift, gradient, self.weight.value, alpha=scale, out=d_x)

    def _is_worth_copying(self, x: Tensor) -> bool:
        """Whether oneDNN, which writes only to new memory, is faster even with the copy from there."""
        return len(x) * self.weight.value.numel() >= _MIN_WORK_TO_COPY and onednn.is_faster(len(x), self.weight.value)


def _product_of_columns(a: Tensor, b: Tensor) -> Tensor:
    """a' b, [N, p] and [N, q] -> [p, q], with the wider one as oneDNN's weight: a third faster than the other way."""
    if a.shape[1] > b.shape[1]:
        return onednn.linear(b.t(), a.t()).t()
    return onednn.linear(a.t(), b.t())
