"""Token embeddings plus positions."""

from __future__ import annotations

import torch
from torch import Tensor

from core.model.positions import LearnedPositions
from core.model.transformer import Embedding
from core.training.passes.dropout import DropoutMasks
from core.training.passes.weights import Weight, Weights


class EmbeddingPass:
    """y = mask * scale * (sqrt(d_model) * token vectors + position vectors)."""

    def __init__(self, embedding: Embedding, weights: Weights, masks: DropoutMasks) -> None:
        self._tokens, self._masks, self._scale = weights[embedding.tokens.weight], masks, embedding.scale
        positions = embedding.positions
        self._positions: Weight | None = None
        if isinstance(positions, LearnedPositions):
            self._positions = weights[positions.weight]
            self._table = self._positions.value
        else:
            self._table = positions.table.to(weights.dtype)

    def forward(self, ids: Tensor) -> Tensor:
        """Ids [B, T] -> [B * T, d_model]."""
        x = torch.add(self._table[: ids.shape[1]], torch.embedding(self._tokens.value, ids), alpha=self._scale)
        self._ids = ids
        if self._masks.is_active:
            self._mask = self._masks.next(x.shape)
            x = self._masks.add(None, x, self._mask)
        return x.flatten(0, 1)

    def backward(self, gradient: Tensor) -> None:
        """Add to the weights' totals, given the gradient of y."""
        gradient = gradient.view(*self._ids.shape, -1)
        if self._masks.is_active:
            gradient = self._masks.add(None, gradient, self._mask)
            del self._mask
        if self._positions is not None:
            self._positions.total_gradient[: gradient.shape[1]].add_(gradient.sum(0))
        total_gradient, ids = self._tokens.total_gradient, self._ids.flatten()
        rows = gradient.flatten(0, 1).to(total_gradient.dtype)
        if total_gradient.device.type == "cpu":
            total_gradient.index_add_(0, ids, rows, alpha=self._scale)
        else:  # there index_add_ adds in any order, this always in the same
            total_gradient.index_put_((ids,), rows.mul(self._scale), accumulate=True)
