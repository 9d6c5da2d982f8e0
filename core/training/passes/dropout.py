"""Dropout's masks, drawn once for a whole batch."""

from __future__ import annotations

import torch
from torch import Tensor

from core.model.dropout import HeldRate


class Masks:
    """The masks of all places that drop at one rate, handed out in the order in which the model comes to them."""

    def __init__(self, rate: float, dtype: torch.dtype, device: torch.device) -> None:
        self._held, self._dtype, self._device = HeldRate(rate), dtype, device
        self.drops, self.scale = rate > 0.0, self._held.scale

    def draw(self, num_elements: int) -> None:
        """Draw for a batch, as many elements as it will ask for in all."""
        if self.drops:
            self._kept = self._held.draw_kept(num_elements, self._dtype, self._device)
            self._num_used = 0

    def next(self, shape: torch.Size) -> Tensor:
        """Ones where the next place keeps an element, else zeros."""
        start = self._num_used
        self._num_used += shape.numel()
        return self._kept[start : self._num_used].view(shape)
