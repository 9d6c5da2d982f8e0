"""What the forward pass of a step must keep for the backward pass, counted from the sizes."""

from __future__ import annotations

from benchmarks.speed.sizes import Precision, Size
from core.training.passes.scaled_dot_product_attention import MIN_FUSED_SCORES

_FLOAT32 = 4
_AROUND_A_SUBLAYER = 3
"""Vectors per token: the sublayer's input, its LayerNorm's output, and the dropout mask at its end."""
_OF_ATTENTION = 4
"""Queries, keys, values, and their weighted sum; in cross-attention, keys and values are of the memory."""


def bytes_of(size: Size, precision: Precision) -> int:
    """For one batch on a CPU: pre-norm, ReLU, and dropout, but none on attention weights.

    Attention weights are kept where attention is written out: in float32, and for bfloat16 again, as they are
    multiplied.
    """
    element = _FLOAT32 if precision == "float32" else 2
    is_fused = precision == "float32" and size.length**2 >= MIN_FUSED_SCORES
    tokens, layers = size.batch_size * size.length, size.num_layers
    encoder = 2 * _AROUND_A_SUBLAYER + _OF_ATTENTION
    decoder = 3 * _AROUND_A_SUBLAYER + 2 * _OF_ATTENTION
    masks_and_last_norms = 2 * (1 + 2)
    vectors = size.d_model * (layers * (encoder + decoder) + masks_and_last_norms) + 2 * layers * size.d_ff
    of_a_head = size.batch_size * size.length**2
    mask = _FLOAT32 * of_a_head
    attentions = 3 * layers
    if is_fused:  # the kernel's own output, besides that with merged heads
        return element * tokens * (vectors + attentions * size.d_model) + mask
    weights = _FLOAT32 if precision == "float32" else _FLOAT32 + element
    return element * tokens * vectors + attentions * size.num_heads * of_a_head * weights + mask
