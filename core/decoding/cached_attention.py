"""Attention in one step of decoding: of the newest positions to themselves and their past, and to the memory."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from core.decoding.linear_maps import prepare_linear
from core.model.attention import CrossAttention, KeysValues, SelfAttention
from core.model.softmax import softmax

# Queries times heads from which on two batched products are faster than the fused kernel (a CPU, two threads, keys and
# values in no cache): 256 queries on 20 keys take 89 us instead of 149, 1,280 on 16 keys 210 instead of 572, on 100
# keys 1,610 instead of 1,920. For 256 on 40 keys and more they are equally fast, within a tenth.
_MIN_QUERIES_FOR_BMM = 64


def attend(queries: Tensor, memory: KeysValues, mask: Tensor | None) -> Tensor:
    """Attention of queries [B, H, K, d_head] to keys and values [B, H, S, d_head] -> [B * K, d_model].

    The mask, 0 or -inf, is added to the scores.
    """
    batch, num_heads, num_queries, d_head = queries.shape
    if queries.is_cpu and batch * num_heads * num_queries >= _MIN_QUERIES_FOR_BMM:
        heads = _written_out(queries, memory, mask)
    else:
        heads = F.scaled_dot_product_attention(queries, memory.keys, memory.values, mask)
    return heads.transpose(1, 2).reshape(batch * num_queries, num_heads * d_head)


def _written_out(queries: Tensor, memory: KeysValues, mask: Tensor | None) -> Tensor:
    keys, values = memory.keys.flatten(0, 1), memory.values.flatten(0, 1)
    scale = 1.0 / math.sqrt(queries.shape[-1])
    scores = torch.baddbmm(keys.new_zeros(1), queries.flatten(0, 1), keys.transpose(1, 2), beta=0, alpha=scale)
    if mask is not None:
        scores.view(*queries.shape[:3], -1).add_(mask)
    return torch.bmm(softmax(scores), values).view(queries.shape)


class SelfAttentionStep:
    """One layer's self-attention, with a cache of the keys and values of K hypotheses of each of B sentences.

    It is allocated for max_length steps; each step fills the next K slots of every sentence.
    """

    def __init__(self, attention: SelfAttention, num_sentences: int, num_beams: int, max_length: int) -> None:
        num_rows, num_slots = num_sentences * num_beams, num_beams * max_length
        self._qkv, self._output = (
            prepare_linear(attention.qkv, num_rows),
            prepare_linear(attention.output, num_rows),
        )
        self._split = (-1, num_beams, 3, attention.num_heads, attention.d_head)
        cache_shape = (2, num_sentences, attention.num_heads, num_slots, attention.d_head)
        self._cache = attention.output.weight.new_empty(cache_shape)  # the cache: keys, then values

    def add_to(self, x: Tensor, inputs: Tensor, num_used: int, mask: Tensor | None) -> None:
        """Append positions `inputs` to the cache, and add their attention over it to x [B * K, d_model], in place.

        With them, `num_used` slots are in use. The mask is that of `attend`.
        """
        qkv = self._qkv.apply(inputs).view(self._split).permute(2, 0, 3, 1, 4)
        num_new = qkv.shape[3]
        self._cache.narrow(3, num_used - num_new, num_new).copy_(qkv[1:])
        past = KeysValues(*self._cache.narrow(3, 0, num_used).unbind())
        self._output.add_to(x, attend(qkv[0], past, mask))

    def keep(self, sentences: Tensor, num_used: int) -> None:
        """Keep only these sentences; the first `num_used` slots of each are in use."""
        used = self._cache.narrow(3, 0, num_used)  # the rest is still empty
        self._cache = self._cache.new_empty((2, len(sentences), *self._cache.shape[2:]))
        torch.index_select(used, 1, sentences, out=self._cache.narrow(3, 0, num_used))


class CrossAttentionStep:
    """One layer's attention to the memory, which the K hypotheses of a sentence share."""

    def __init__(self, attention: CrossAttention, memory: Tensor, num_beams: int) -> None:
        """Memory [B, S, d_model]."""
        num_rows = len(memory) * num_beams
        self._q, self._output = (
            prepare_linear(attention.q, num_rows),
            prepare_linear(attention.output, num_rows),
        )
        self._split = (-1, num_beams, attention.num_heads, attention.d_head)
        # made contiguous once, since every step reads them
        self._memory = KeysValues(*(part.contiguous() for part in attention.keys_values(memory)))

    def add_to(self, x: Tensor, inputs: Tensor, mask: Tensor | None) -> None:
        """Add the attention of positions `inputs` to the memory to x [B * K, d_model], in place.

        The mask is that of `attend`.
        """
        queries = self._q.apply(inputs).view(self._split).transpose(1, 2)
        self._output.add_to(x, attend(queries, self._memory, mask))

    def keep(self, sentences: Tensor) -> None:
        """Keep only these sentences."""
        self._memory = KeysValues(*(part[sentences] for part in self._memory))
