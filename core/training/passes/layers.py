"""Encoder and decoder layers."""

from __future__ import annotations

from torch import Tensor

from core.model.layers import DecoderLayer, EncoderLayer
from core.training.passes.attention import CrossAttentionPass, RowLayout, SelfAttentionPass
from core.training.passes.dropout import DropoutMasks
from core.training.passes.feed_forward import FeedForwardPass
from core.training.passes.residual import ResidualPass
from core.training.passes.weights import Weights


class EncoderLayerPass:
    """Self-attention, then the feed-forward network."""

    def __init__(self, layer: EncoderLayer, weights: Weights, masks: DropoutMasks, weight_masks: DropoutMasks) -> None:
        first = layer.norm_first
        self._self_attention = SelfAttentionPass(layer.self_attention, weights, weight_masks)
        self._feed_forward = FeedForwardPass(layer.feed_forward, weights)
        self._self_residual = ResidualPass(layer.self_attention_norm, first, weights, masks)
        self._feed_forward_residual = ResidualPass(layer.feed_forward_norm, first, weights, masks)

    def forward(self, x: Tensor, layout: RowLayout) -> Tensor:
        """[N, d_model] -> [N, d_model]."""
        x = self._self_residual.leave(x, self._self_attention.forward(self._self_residual.enter(x), layout))
        return self._feed_forward_residual.leave(x, self._feed_forward.forward(self._feed_forward_residual.enter(x)))

    def backward(self, gradient: Tensor) -> Tensor:
        """Return the gradient of x, given that of the result."""
        d_output = self._feed_forward_residual.leave_backward(gradient)
        gradient = self._feed_forward_residual.enter_backward(self._feed_forward.backward(d_output))
        d_output = self._self_residual.leave_backward(gradient)
        return self._self_residual.enter_backward(self._self_attention.backward(d_output))


class DecoderLayerPass:
    """Self-attention, attention to the memory, then the feed-forward network."""

    def __init__(self, layer: DecoderLayer, weights: Weights, masks: DropoutMasks, weight_masks: DropoutMasks) -> None:
        first = layer.norm_first
        self._self_attention = SelfAttentionPass(layer.self_attention, weights, weight_masks)
        self._cross_attention = CrossAttentionPass(layer.cross_attention, weights, weight_masks)
        self._feed_forward = FeedForwardPass(layer.feed_forward, weights)
        self._self_residual = ResidualPass(layer.self_attention_norm, first, weights, masks)
        self._cross_residual = ResidualPass(layer.cross_attention_norm, first, weights, masks)
        self._feed_forward_residual = ResidualPass(layer.feed_forward_norm, first, weights, masks)

    def forward(self, x: Tensor, layout: RowLayout, memory: Tensor, memory_layout: RowLayout) -> Tensor:
        """[N, d_model], memory [M, d_model] -> [N, d_model]."""
        x = self._self_residual.leave(x, self._self_attention.forward(self._self_residual.enter(x), layout))
        attended = self._cross_attention.forward(self._cross_residual.enter(x), layout, memory, memory_layout)
        x = self._cross_residual.leave(x, attended)
        return self._feed_forward_residual.leave(x, self._feed_forward.forward(self._feed_forward_residual.enter(x)))

    def backward(self, gradient: Tensor, d_memory: Tensor) -> Tensor:
        """Return the gradient of x, given that of the result; adds that of the memory to d_memory."""
        d_output = self._feed_forward_residual.leave_backward(gradient)
        gradient = self._feed_forward_residual.enter_backward(self._feed_forward.backward(d_output))
        d_output = self._cross_residual.leave_backward(gradient)
        gradient = self._cross_residual.enter_backward(self._cross_attention.backward(d_output, d_memory))
        d_output = self._self_residual.leave_backward(gradient)
        return self._self_residual.enter_backward(self._self_attention.backward(d_output))
