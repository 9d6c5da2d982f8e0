"""Token embeddings plus positions."""

from __future__ import annotations

import torch
from torch import Tensor

from core.model.positions import LearnedPositions
from core.model.transformer import Embedding
from core.training.passes.dropout import Masks
from core.training.passes.weights import Weight, Weights


class EmbeddingPass:
    """y = mask * scale * (sqrt(d_model) * token vectors + position vectors)."""

    def __init__(self, embedding: Embedding, weights: Weights, masks: Masks) -> None:
        self._tokens, self._masks, self._root = weights[embedding.tokens.weight], masks, embedding.scale
        positions = embedding.positions
        self._positions: Weight | None = None
        if isinstance(positions, LearnedPositions):
            self._positions = weights[positions.weight]
            self._table = self._positions.value
        else:
            self._table = positions.table.to(weights.dtype)

    def forward(self, ids: Tensor) -> Tensor:
        """Ids [B, T] -> [B * T, d_model]."""
        x = torch.add(self._table[: ids.shape[1]], torch.embedding(self._tokens.value, ids), alpha=self._root)
        self._ids = ids
        if self._masks.drops:
            self._mask = self._masks.next(x.shape)
            x = self._masks.add(None, x, self._mask)
        return x.flatten(0, 1)

    def backward(self, gradient: Tensor) -> None:
        """Add to the weights' totals, given the gradient of y."""
        gradient = gradient.view(*self._ids.shape, -1)
        if self._masks.drops:
            gradient = self._masks.add(None, gradient, self._mask)
        if self._positions is not None:
            self._positions.total[: gradient.shape[1]].add_(gradient.sum(0))
        total, ids = self._tokens.total, self._ids.flatten()
        rows = gradient.flatten(0, 1).to(total.dtype)
        if total.device.type == "cpu":
            total.index_add_(0, ids, rows, alpha=self._root)
        else:  # there index_add_ adds in any order, this always in the same
            total.index_put_((ids,), rows.mul(self._root), accumulate=True)
