"""Attention weights for those who look at them; nobody else pays for them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from core.model.attention import MultiHeadAttention
from core.model.transformer import Transformer


class AttentionRecord:
    """The weights of the newest pass through each stack; complete after a `forward`, or an `encode` and a `decode`."""

    def __init__(self, model: Transformer) -> None:
        self._encoder_self = [layer.self_attention for layer in model.encoder]
        self._decoder_self = [layer.self_attention for layer in model.decoder]
        self._cross = [layer.cross_attention for layer in model.decoder]
        self._weights: dict[MultiHeadAttention, list[Tensor]] = {
            attention: [] for attention in [*self._encoder_self, *self._decoder_self, *self._cross]
        }

    @property
    def encoder_self(self) -> Tensor:
        """[layers, B, H, S, S]; rows attend to columns, each row of a token sums to 1."""
        return self._stacked(self._encoder_self)

    @property
    def decoder_self(self) -> Tensor:
        """[layers, B, H, T, T]."""
        return self._stacked(self._decoder_self)

    @property
    def cross(self) -> Tensor:
        """[layers, B, H, T, S]."""
        return self._stacked(self._cross)

    def attach(self) -> None:
        """Have every attention put its weights here."""
        for attention, weights in self._weights.items():
            attention.recorded = weights

    def detach(self) -> None:
        """Let them go back to the fast path."""
        for attention in self._weights:
            attention.recorded = None

    def _stacked(self, attentions: Sequence[MultiHeadAttention]) -> Tensor:
        return torch.stack([self._weights[attention][0] for attention in attentions])


@contextmanager
def record_attention(model: Transformer) -> Iterator[AttentionRecord]:
    """Record the attention of what runs inside the block; the outputs stay the same (to rounding)."""
    record = AttentionRecord(model)
    record.attach()
    try:
        yield record
    finally:
        record.detach()
