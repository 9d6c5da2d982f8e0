"""ReLU in place, forward and backward."""

from __future__ import annotations

import torch
from torch import Tensor


def relu_(x: Tensor) -> Tensor:
    """Overwrite x with max(x, 0).

    torch's own is slow for bfloat16 on a CPU. Such a number is below zero exactly where its bits, read as an integer,
    are: 0.15 ms instead of 1.3 for [2048, 1024] (one thread).
    """
    if _is_slow(x):
        x.view(torch.int16).clamp_(min=0)
        return x
    return x.relu_()


def relu_backward_(gradient: Tensor, y: Tensor) -> None:
    """Overwrite the gradient of y = relu(x) with that of x: it passes where y is above zero."""
    if _is_slow(y):
        is_above = y.view(torch.int16).clamp(0, 1)  # one or zero, for a negative zero too
        gradient.view(torch.int16).mul_(is_above)  # 0.4 ms instead of 0.7 to 2.5
    else:
        torch.ops.aten.threshold_backward.grad_input(gradient, y, 0, grad_input=gradient)


def _is_slow(x: Tensor) -> bool:
    return x.dtype == torch.bfloat16 and x.device.type == "cpu"
