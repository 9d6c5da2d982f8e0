"""Where a token stands: sinusoidal or learned vectors, one for each position."""

import math

import torch
from torch import Tensor, nn


def sinusoids(num_positions: int, d_model: int) -> Tensor:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos of the same (Vaswani et al. 2017, section 3.5).

    d_model is even. Worked out in float64, so that far positions are right to the last bit of the type they end in.
    [num_positions, d_model].
    """
    positions = torch.arange(num_positions, dtype=torch.float64)[:, None]
    rates = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10000.0) / d_model))
    table = torch.empty(num_positions, d_model, dtype=torch.float64)
    table[:, 0::2] = torch.sin(positions * rates)
    table[:, 1::2] = torch.cos(positions * rates)
    return table


class SinusoidalPositions(nn.Module):
    """A fixed table; not saved with the weights, since its formula says it all."""

    table: Tensor

    def __init__(self, num_positions: int, d_model: int) -> None:
        super().__init__()
        self.register_buffer("table", sinusoids(num_positions, d_model).to(torch.get_default_dtype()), persistent=False)

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
