"""Multi-head self- and cross-attention (Vaswani et al. 2017, section 3.2)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from core.model.attention import CrossAttention, SelfAttention
from core.training.passes.dropout import DropoutMasks
from core.training.passes.linear import LinearPass
from core.training.passes.scaled_dot_product_attention import ScaledDotProductAttention
from core.training.passes.weights import Weights


class RowLayout(NamedTuple):
    """How rows form B sequences of one length. Attention to them adds `mask` to its scores."""

    batch: int
    length: int
    mask: Tensor  # 0 where attention is allowed, else -inf; broadcast over [B, H, T, S]


class SelfAttentionPass:
    """Rows attend to rows of their own sequence; queries, keys and values come from one product."""

    def __init__(self, attention: SelfAttention, weights: Weights, masks: DropoutMasks) -> None:
        self._num_heads = attention.num_heads
        self._qkv, self._output = LinearPass(attention.qkv, weights), LinearPass(attention.output, weights)
        self._attention = ScaledDotProductAttention(masks)

    def forward(self, x: Tensor, layout: RowLayout) -> Tensor:
        """[N, d_model] -> [N, d_model]."""
        qkv = self._attention.arrange(split_heads(self._qkv.forward(x), layout, 3, self._num_heads))
        q, k, v = qkv.unbind()
        context = merge_heads(self._attention.forward(q, k, v, layout.mask)[None])
        self._saved = x, context, layout, qkv
        return self._output.forward(context)

    def backward(self, gradient: Tensor) -> Tensor:
        """Return the gradient of x, given that of the result."""
        x, context, layout, qkv = self._saved
        del self._saved
        d_heads = split_heads(self._output.backward(gradient, context), layout, 1, self._num_heads)[0]
        d_qkv = torch.empty_like(qkv)
        self._attention.backward(d_heads, *d_qkv.unbind())
        return self._qkv.backward(merge_heads(d_qkv), x)


class CrossAttentionPass:
    """Rows of the target attend to those of the memory. Gradients of the memory add up over the layers."""

    def __init__(self, attention: CrossAttention, weights: Weights, masks: DropoutMasks) -> None:
        self._num_heads = attention.num_heads
        self._q, self._kv = LinearPass(attention.q, weights), LinearPass(attention.kv, weights)
        self._output = LinearPass(attention.output, weights)
        self._attention = ScaledDotProductAttention(masks)

    def forward(self, x: Tensor, layout: RowLayout, memory: Tensor, memory_layout: RowLayout) -> Tensor:
        """[N, d_model], memory [M, d_model] -> [N, d_model]."""
        q = self._attention.arrange(split_heads(self._q.forward(x), layout, 1, self._num_heads))
        kv = self._attention.arrange(split_heads(self._kv.forward(memory), memory_layout, 2, self._num_heads))
        k, v = kv.unbind()
        context = merge_heads(self._attention.forward(q[0], k, v, memory_layout.mask)[None])
        self._saved = x, context, memory, layout, q, kv
        return self._output.forward(context)

    def backward(self, gradient: Tensor, d_memory: Tensor) -> Tensor:
        """Return the gradient of x, given that of the result; adds that of the memory to d_memory."""
        x, context, memory, layout, q, kv = self._saved
        del self._saved
        d_heads = split_heads(self._output.backward(gradient, context), layout, 1, self._num_heads)[0]
        d_q, d_kv = torch.empty_like(q), torch.empty_like(kv)
        self._attention.backward(d_heads, *d_q.unbind(), *d_kv.unbind())
        d_memory.add_(self._kv.backward(merge_heads(d_kv), memory))
        return self._q.backward(merge_heads(d_q), x)


def split_heads(projected: Tensor, layout: RowLayout, parts: int, num_heads: int) -> Tensor:
    """[B * T, parts * d_model] -> a view [parts, B, H, T, d_head]."""
    return projected.view(layout.batch, layout.length, parts, num_heads, -1).permute(2, 0, 3, 1, 4)


def merge_heads(heads: Tensor) -> Tensor:
    """[parts, B, H, T, d_head] -> [B * T, parts * d_model]: the inverse of `split_heads`."""
    parts, batch, num_heads, length, d_head = heads.shape
    return heads.permute(1, 3, 0, 2, 4).reshape(batch * length, parts * num_heads * d_head)
