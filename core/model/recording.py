"""Records attention weights on request; without a request they cost nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import get_args

import torch
from torch import Tensor

from core.answers.anatomy import AttentionKind
from core.model.transformer import Transformer


class AttentionRecord:
    """The weights of the newest pass through each stack; complete after `forward`, or after `encode` and `decode`."""

    def __init__(self) -> None:
        self.layers: dict[AttentionKind, list[list[Tensor]]] = {kind: [] for kind in get_args(AttentionKind)}

    @property
    def encoder_self(self) -> Tensor:
        """[layers, B, H, S, S]; rows attend to columns, each row of a token sums to 1."""
        return self._stacked("encoder_self")

    @property
    def decoder_self(self) -> Tensor:
        """[layers, B, H, T, T]."""
        return self._stacked("decoder_self")

    @property
    def cross(self) -> Tensor:
        """[layers, B, H, T, S]."""
        return self._stacked("cross")

    def _stacked(self, kind: AttentionKind) -> Tensor:
        return torch.stack([newest for (newest,) in self.layers[kind]])


@contextmanager
def record_attention(model: Transformer) -> Iterator[AttentionRecord]:
    """Record the attention of what runs inside the block; the outputs stay the same (to rounding)."""
    record = AttentionRecord()
    attentions = {kind: model.attentions(kind) for kind in record.layers}
    for kind, layers in attentions.items():
        for attention in layers:
            attention.recorded_weights = []
            record.layers[kind].append(attention.recorded_weights)
    try:
        yield record
    finally:
        for layers in attentions.values():
            for attention in layers:  # back to the fast path
                attention.recorded_weights = None
