"""Encoder and decoder layers."""

from __future__ import annotations

from torch import Tensor

from core.model.layers import DecoderLayer, EncoderLayer
from core.training.passes.attention import CrossAttentionPass, SelfAttentionPass, Sequences
from core.training.passes.dropout import Masks
from core.training.passes.feed_forward import FeedForwardPass
from core.training.passes.residual import ResidualPass
from core.training.passes.weights import Weights


class EncoderLayerPass:
    """Self-attention, then the feed-forward network."""

    def __init__(self, layer: EncoderLayer, weights: Weights, masks: Masks, weight_masks: Masks) -> None:
        first = layer.norm_first
        self._self_attention = SelfAttentionPass(layer.self_attention, weights, weight_masks)
        self._feed_forward = FeedForwardPass(layer.feed_forward, weights)
        self._around_self = ResidualPass(layer.self_attention_norm, first, weights, masks)
        self._around_forward = ResidualPass(layer.feed_forward_norm, first, weights, masks)

    def forward(self, x: Tensor, rows: Sequences) -> Tensor:
        """[N, d_model] -> [N, d_model]."""
        x = self._around_self.leave(x, self._self_attention.forward(self._around_self.enter(x), rows))
        return self._around_forward.leave(x, self._feed_forward.forward(self._around_forward.enter(x)))

    def backward(self, gradient: Tensor) -> Tensor:
        """Return the gradient of x, given that of the result."""
        d_mapped = self._around_forward.leave_backward(gradient)
        gradient = self._around_forward.enter_backward(self._feed_forward.backward(d_mapped))
        d_mapped = self._around_self.leave_backward(gradient)
        return self._around_self.enter_backward(self._self_attention.backward(d_mapped))


class DecoderLayerPass:
    """Self-attention, attention to the memory, then the feed-forward network."""

    def __init__(self, layer: DecoderLayer, weights: Weights, masks: Masks, weight_masks: Masks) -> None:
        first = layer.norm_first
        self._self_attention = SelfAttentionPass(layer.self_attention, weights, weight_masks)
        self._cross_attention = CrossAttentionPass(layer.cross_attention, weights, weight_masks)
        self._feed_forward = FeedForwardPass(layer.feed_forward, weights)
        self._around_self = ResidualPass(layer.self_attention_norm, first, weights, masks)
        self._around_cross = ResidualPass(layer.cross_attention_norm, first, weights, masks)
        self._around_forward = ResidualPass(layer.feed_forward_norm, first, weights, masks)

    def forward(self, x: Tensor, rows: Sequences, memory: Tensor, memory_rows: Sequences) -> Tensor:
        """[N, d_model], memory [M, d_model] -> [N, d_model]."""
        x = self._around_self.leave(x, self._self_attention.forward(self._around_self.enter(x), rows))
        read = self._cross_attention.forward(self._around_cross.enter(x), rows, memory, memory_rows)
        x = self._around_cross.leave(x, read)
        return self._around_forward.leave(x, self._feed_forward.forward(self._around_forward.enter(x)))

    def backward(self, gradient: Tensor, d_memory: Tensor) -> Tensor:
        """Return the gradient of x, given that of the result; adds that of the memory to d_memory."""
        d_mapped = self._around_forward.leave_backward(gradient)
        gradient = self._around_forward.enter_backward(self._feed_forward.backward(d_mapped))
        d_mapped = self._around_cross.leave_backward(gradient)
        gradient = self._around_cross.enter_backward(self._cross_attention.backward(d_mapped, d_memory))
        d_mapped = self._around_self.leave_backward(gradient)
        return self._around_self.enter_backward(self._self_attention.backward(d_mapped))
