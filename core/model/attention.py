"""Multi-head attention: the arithmetic, self-attention and cross-attention (Vaswani et al. 2017, section 3.2)."""

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.model.dropout import Dropout
from core.model.linear import Linear


class KeysValues(NamedTuple):
    """What is attended to: keys and values, each [B, H, S, d_head]."""

    keys: Tensor
    values: Tensor


class MultiHeadAttention(nn.Module):
    """The attention of several heads, and the output projection; the projections into heads are the subclasses'.

    Without dropout on the weights it uses `F.scaled_dot_product_attention`: on a CPU in float32 that takes 0.5 ms for a
    forward and backward of [32, 4, 10, 16] against 1.0 ms written out (1.3 against 2.6 for [64, 4, 10, 32]).
    In bfloat16 on a CPU the kernel is slower, 20 ms against 2.8 for [64, 4, 12, 32], so there it is written out.
    The weights themselves are kept only while `recorded_weights` is a list: it then holds the newest, [B, H, T, S].
    A query that may attend to nothing reads zeros.
    """

    def __init__(self, d_model: int, num_heads: int, attention_dropout: float, bias: bool) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.d_head = d_model // num_heads
        self.dropout = Dropout(attention_dropout)
        self.output = Linear(d_model, d_model, bias=bias)
        self.recorded_weights: list[Tensor] | None = None

    def attend(self, queries: Tensor, memory: KeysValues, mask: Tensor | None) -> Tensor:
        """softmax(Q K' / sqrt(d_head)) V, then the output projection. [B, H, T, d_head] -> [B, T, d_model]."""
        slow_on_cpu = queries.dtype == torch.bfloat16 and queries.device.type == "cpu"
        if self.recorded_weights is None and not slow_on_cpu and not self.dropout.is_active:
            heads = F.scaled_dot_product_attention(queries, memory.keys, memory.values, attn_mask=mask)
        else:
            weights = attention_weights(queries, memory.keys, mask)
            if self.recorded_weights is not None:
                self.recorded_weights[:] = [weights.detach()]
            heads = torch.matmul(self.dropout(weights), memory.values)
        mixed: Tensor = self.output(heads.transpose(1, 2).flatten(2))
        return mixed

    def split_heads(self, projected: Tensor, parts: int) -> tuple[Tensor, ...]:
        """[B, T, parts * d_model] -> `parts` views of [B, H, T, d_head]."""
        batch, length, _ = projected.shape
        split = projected.view(batch, length, parts, self.num_heads, self.d_head)
        return split.permute(2, 0, 3, 1, 4).unbind(0)


class SelfAttention(MultiHeadAttention):
    """A sequence attends to itself; queries, keys and values come from one product."""

    def __init__(self, d_model: int, num_heads: int, attention_dropout: float, bias: bool) -> None:
        super().__init__(d_model, num_heads, attention_dropout, bias)
        self.qkv = Linear(d_model, 3 * d_model, bias=bias)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """[B, T, d_model] -> [B, T, d_model]."""
        queries, keys, values = self.split_heads(self.qkv(x), 3)
        return self.attend(queries, KeysValues(keys, values), mask)


class CrossAttention(MultiHeadAttention):
    """The target attends to the memory; keys and values of a memory are projected once, however long the target."""

    def __init__(self, d_model: int, num_heads: int, attention_dropout: float, bias: bool) -> None:
        super().__init__(d_model, num_heads, attention_dropout, bias)
        self.q = Linear(d_model, d_model, bias=bias)
        self.kv = Linear(d_model, 2 * d_model, bias=bias)

    def keys_values(self, memory: Tensor) -> KeysValues:
        """[B, S, d_model] -> keys and values."""
        keys, values = self.split_heads(self.kv(memory), 2)
        return KeysValues(keys, values)

    def forward(self, x: Tensor, memory: KeysValues, mask: Tensor) -> Tensor:
        """[B, T, d_model] -> [B, T, d_model]."""
        (queries,) = self.split_heads(self.q(x), 1)
        return self.attend(queries, memory, mask)


def attention_weights(queries: Tensor, keys: Tensor, mask: Tensor | None) -> Tensor:
    """softmax(Q K' / sqrt(d_head)); zero wherever the mask is False, even in a row without any True. [B, H, T, S]."""
    scores = torch.matmul(queries * (1.0 / math.sqrt(queries.shape[-1])), keys.transpose(-2, -1))
    if mask is None:
        return torch.softmax(scores, dim=-1)
    lowest = torch.finfo(scores.dtype).min  # not -inf: a row of those alone would be NaN
    return torch.softmax(scores.masked_fill(~mask, lowest), dim=-1).masked_fill(~mask, 0.0)
