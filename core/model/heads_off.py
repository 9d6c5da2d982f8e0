"""Switches attention heads off for a while, in the weights themselves, so that every way to run the model sees it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from core.answers.head_ablation import HeadId
from core.errors import UserError
from core.model.transformer import Transformer


@contextmanager
def heads_off(model: Transformer, heads: Sequence[HeadId]) -> Iterator[None]:
    """Inside the block, these heads' output is multiplied by zeros; afterwards the weights are as before to the bit.

    A head's part of the output projection (the rows of W^O in section 3.2.2 of the paper) becomes zero, so that the
    head adds nothing to what the layer passes on. Raises UserError for a head that the model lacks.
    """
    parts = [_output_part(model, head) for head in dict.fromkeys(heads)]
    kept = [part.clone() for part in parts]
    try:
        with torch.no_grad():
            for part in parts:
                part.zero_()
        yield
    finally:
        with torch.no_grad():
            for part, before in zip(parts, kept, strict=True):
                part.copy_(before)


def _output_part(model: Transformer, head: HeadId) -> Tensor:
    """The columns [d_model, d_head] of the output projection's weight that multiply this head's output."""
    layers = model.attentions(head.kind)
    if not (0 <= head.layer < len(layers) and 0 <= head.head < layers[head.layer].num_heads):
        name = f"{head.kind} layer {head.layer + 1} head {head.head + 1}"
        raise UserError(f"This model has no {name} to switch off.", "Switch on all heads again.")
    attention = layers[head.layer]
    first = head.head * attention.d_head
    return attention.output.weight.detach()[:, first : first + attention.d_head]
