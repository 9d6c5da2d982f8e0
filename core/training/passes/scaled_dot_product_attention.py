"""Chooses between fused and written-out attention."""

from __future__ import annotations

import torch
from torch import Tensor

from core.training.passes.dropout import DropoutMasks
from core.training.passes.fused_attention import FusedAttention
from core.training.passes.written_out_attention import WrittenOutAttention

# Scores of a head from which on the fused kernel is as fast on a CPU in float32. Forward and backward of 2,048 tokens
# (one thread) take 5.5 ms fused and 6.2 written out at 16 tokens a sentence, 27 and 23 at 64, 61 and 80 at 256.
MIN_FUSED_SCORES = 100 * 100


class ScaledDotProductAttention:
    """softmax(Q K' / sqrt(d_head)) V, fused or written out.

    Written out with dropout on the weights (the kernels draw their own), and on a CPU for short sentences and in
    bfloat16, where the fused kernel's backward takes 57 ms instead of 3 at 16 tokens, and 56 instead of 20 at 256.
    """

    def __init__(self, masks: DropoutMasks) -> None:
        self._has_dropout = masks.is_active
        self._written_out, self._fused = WrittenOutAttention(masks), FusedAttention()

    def arrange(self, heads: Tensor) -> Tensor:
        """Heads as the chosen kernel reads them fastest: a GPU's as they lie between those of other tokens."""
        return heads if heads.is_cuda and not self._has_dropout else heads.contiguous()

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        """[B, H, T, d_head], [B, H, S, d_head] -> [B, H, T, d_head]. `mask` is added to scores: zero or -inf."""
        self._chosen = self._fused if self._is_fused_better(queries, keys) else self._written_out
        return self._chosen.forward(queries, keys, values, mask)

    def backward(self, gradient: Tensor, d_queries: Tensor, d_keys: Tensor, d_values: Tensor) -> None:
        """Given the gradient of the result, write those of queries, keys and values, arranged like these."""
        self._chosen.backward(gradient, d_queries, d_keys, d_values)

    def _is_fused_better(self, queries: Tensor, keys: Tensor) -> bool:
        if self._has_dropout:
            return False
        many_scores = queries.shape[2] * keys.shape[2] >= MIN_FUSED_SCORES
        return not queries.is_cpu or (many_scores and queries.dtype != torch.bfloat16)
