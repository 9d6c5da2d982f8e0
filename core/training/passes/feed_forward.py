"""The feed-forward network (Vaswani et al. 2017, section 3.3)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from core.model.layers import FeedForward
from core.training.passes.linear import LinearPass
from core.training.passes.relu import relu_backward_
from core.training.passes.weights import Weights


class FeedForwardPass:
    """Two linear layers with a ReLU or GELU between them.

    ReLU's gradient passes where its output is above zero, so its input is not kept.
    """

    def __init__(self, feed_forward: FeedForward, weights: Weights) -> None:
        self._inner = LinearPass(feed_forward.inner, weights)
        self._outer = LinearPass(feed_forward.outer, weights)
        self._is_relu = feed_forward.activation is F.relu

    def forward(self, x: Tensor) -> Tensor:
        """[N, d_model] -> [N, d_model]."""
        if self._is_relu:
            inner = active = self._inner.forward_relu(x)
        else:
            inner = self._inner.forward(x)
            active = F.gelu(inner)
        self._saved = x, inner, active
        return self._outer.forward(active)

    def backward(self, gradient: Tensor) -> Tensor:
        """Return the gradient of x, given that of the output."""
        x, inner, active = self._saved
        del self._saved
        d_active = self._outer.backward(gradient, active)
        if self._is_relu:
            relu_backward_(d_active, active)
        else:
            torch.ops.aten.gelu_backward.grad_input(d_active, inner, grad_input=d_active)
        return self._inner.backward(d_active, x)
