"""The interface of every other implementation, so that all are timed alike."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor, nn

from core.data.batch import Batch


class Rival(nn.Module):
    """A model of a size, trained and decoding as its own documentation shows."""

    fused_adam = False
    """Whether its own trainer uses torch's fused Adam."""
    has_beam = False
    """Whether it has a beam search to compare with."""

    def loss(self, batch: Batch) -> Tensor:
        """The loss it minimises: smoothed, the mean over target tokens."""
        raise NotImplementedError

    def decode(self, src: Tensor, src_mask: Tensor, beam_size: int, length: int) -> Tensor:
        """The `length` ids decoded for each source, [B, length]."""
        raise NotImplementedError


class SameModel(Rival):
    """A rival that computes exactly what ours does, and so must agree with it."""

    norm_first = True

    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Load our weights, as `ours.plain_weights` gives them, from a model with the same `norm_first`."""
        raise NotImplementedError
