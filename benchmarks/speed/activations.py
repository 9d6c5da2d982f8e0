"""What a step must remember: the numbers that its forward pass leaves for the backward pass, counted from the sizes."""

from __future__ import annotations

from benchmarks.speed.sizes import Precision, Size
from core.training.passes.weighted_sum import MANY_SCORES

_FLOAT32 = 4
_AROUND_A_SUBLAYER = 3
"""Vectors a token: what enters it, what its LayerNorm makes of that, and the dropout mask of its end."""
_OF_ATTENTION = 4
"""Queries, keys, values, and their weighted sum; keys and values are of the memory in cross-attention."""


def bytes_of(size: Size, precision: Precision) -> int:
    """Of one batch on a processor: pre-norm, ReLU, and dropout, but none of attention's weights.

    These are kept where attention is written out: in float32, and for bfloat16 once more, as they are multiplied.
    """
    element = _FLOAT32 if precision == "float32" else 2
    is_fused = precision == "float32" and size.length**2 >= MANY_SCORES
    tokens, layers = size.batch_size * size.length, size.num_layers
    encoder = 2 * _AROUND_A_SUBLAYER + _OF_ATTENTION
    decoder = 3 * _AROUND_A_SUBLAYER + 2 * _OF_ATTENTION
    masks_and_last_norms = 2 * (1 + 2)
    vectors = size.d_model * (layers * (encoder + decoder) + masks_and_last_norms) + 2 * layers * size.d_ff
    of_a_head = size.batch_size * size.length**2
    mask = _FLOAT32 * of_a_head
    attentions = 3 * layers
    if is_fused:  # the kernel's own result beside that whose heads are merged
        return element * tokens * (vectors + attentions * size.d_model) + mask
    weights = _FLOAT32 if precision == "float32" else _FLOAT32 + element
    return element * tokens * vectors + attentions * size.num_heads * of_a_head * weights + mask
