"""What surrounds every sublayer: the residual connection, dropout and LayerNorm."""

from __future__ import annotations

from torch import Tensor, nn

from core.training.passes.dropout import DropoutMasks
from core.training.passes.norm import LayerNormPass
from core.training.passes.weights import Weights


class ResidualPass:
    """Pre-norm y = x + dropout(sublayer(norm(x))), or post-norm y = norm(x + dropout(sublayer(x))).

    The caller runs the sublayer: forward is `enter`, sublayer, `leave`; backward is `leave_backward`, the sublayer's,
    `enter_backward`.
    """

    def __init__(self, norm: nn.LayerNorm, norm_first: bool, weights: Weights, masks: DropoutMasks) -> None:
        self._norm, self._norm_first, self._masks = LayerNormPass(norm, weights), norm_first, masks

    def enter(self, x: Tensor) -> Tensor:
        """The sublayer's input. [N, d_model] -> [N, d_model]."""
        return self._norm.forward(x) if self._norm_first else x

    def leave(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        """y, from x and the sublayer's output `sublayer_output`, which may be overwritten."""
        if self._masks.is_active:
            self._mask = self._masks.next(x.shape)
            y = self._masks.add(x, sublayer_output, self._mask)
        else:
            y = sublayer_output.add_(x)
        return y if self._norm_first else self._norm.forward(y)

    def leave_backward(self, gradient: Tensor) -> Tensor:
        """Return the gradient of the sublayer's output, given that of y."""
        self._skip_gradient = gradient if self._norm_first else self._norm.backward(gradient)
        if not self._masks.is_active:
            return self._skip_gradient
        d_output = self._masks.add(None, self._skip_gradient, self._mask)
        del self._mask
        return d_output

    def enter_backward(self, gradient: Tensor) -> Tensor:
        """Return the gradient of x: that of the sublayer's input, and what came past the sublayer."""
        if self._norm_first:
            gradient = self._norm.backward(gradient)
        gradient.add_(self._skip_gradient)
        del self._skip_gradient
        return gradient
