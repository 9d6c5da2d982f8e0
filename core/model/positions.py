"""Position vectors, sinusoidal or learned."""

import torch
from torch import Tensor, nn

from core.sinusoids import sinusoids


class SinusoidalPositions(nn.Module):
    """A fixed table, not saved with the weights, since a formula gives it."""

    table: Tensor

    def __init__(self, num_positions: int, d_model: int) -> None:
        super().__init__()
        table = torch.from_numpy(sinusoids(num_positions, d_model))
        self.register_buffer("table", table.to(torch.get_default_dtype()), persistent=False)

    def forward(self, length: int) -> Tensor:
        """The vectors of the first positions. [length, d_model]."""
        return self.table[:length]


class LearnedPositions(nn.Module):
    """A trained vector for each position."""

    def __init__(self, num_positions: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(num_positions, d_model))

    def forward(self, length: int) -> Tensor:
        """The vectors of the first positions. [length, d_model]."""
        return self.weight[:length]
