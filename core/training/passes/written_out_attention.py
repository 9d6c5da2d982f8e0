"""softmax(Q K' / sqrt(d_head)) V, written out."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from core.model.softmax import softmax, softmax_backward
from core.training.passes.dropout import DropoutMasks
from core.training.passes.weights import at_least_float32


class WrittenOutAttention:
    """With P = softmax(s Q K' + mask) and Y = P V: dV = P' dY, dP = dY V', dQ = s dS K and dK = s dS' Q.

    dS is the gradient of softmax's input, given dP. Dropout on the weights multiplies P and dP by the same mask.
    """

    def __init__(self, masks: DropoutMasks) -> None:
        self._masks = masks

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        """[B, H, T, d_head], [B, H, S, d_head] -> [B, H, T, d_head]. Where mask [B, 1, T, S] is -inf, P is zero."""
        batch, heads, length, d_head = queries.shape
        q, k, v = queries.flatten(0, 1), keys.flatten(0, 1), values.flatten(0, 1)
        self._scale = 1.0 / math.sqrt(d_head)
        # Zeros, since MPS multiplies this input by beta = 0, too: an infinity would become NaN (PyTorch issue 187521).
        scores = torch.baddbmm(q.new_zeros(1), q, k.transpose(1, 2), beta=0, alpha=self._scale)
        scores = scores.to(at_least_float32(q.dtype))
        scores.view(batch, heads, length, -1).add_(mask)
        weights = softmax(scores)
        dropout_mask, dropped_weights = None, weights
        if self._masks.is_active:
            dropout_mask = self._masks.next(weights.shape)
            dropped_weights = self._masks.add(None, weights, dropout_mask)
        dropped_weights = dropped_weights.to(v.dtype)
        self._saved = q, k, v, weights, dropped_weights, dropout_mask
        return torch.bmm(dropped_weights, v).view(queries.shape)

    def backward(self, gradient: Tensor, d_queries: Tensor, d_keys: Tensor, d_values: Tensor) -> None:
        """Given the gradient of Y [B, H, T, d_head], write those of queries, keys and values, contiguous tensors."""
        q, k, v, weights, dropped_weights, dropout_mask = self._saved
        del self._saved
        d_y = gradient.reshape(q.shape)
        torch.bmm(dropped_weights.transpose(1, 2), d_y, out=d_values.view(v.shape))
        d_weights = torch.bmm(d_y, v.transpose(1, 2)).to(weights.dtype)
        if dropout_mask is not None:
            d_weights = self._masks.add(None, d_weights, dropout_mask)
        d_scores = softmax_backward(d_weights, weights).to(q.dtype)
        torch.baddbmm(q, d_scores, k, beta=0, alpha=self._scale, out=d_queries.view(q.shape))
        torch.baddbmm(k, d_scores.transpose(1, 2), q, beta=0, alpha=self._scale, out=d_keys.view(k.shape))
