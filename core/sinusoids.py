"""The paper's sinusoidal positions as a table of numbers, for the model and for the window. Free of torch."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def sinusoids(num_positions: int, d_model: int) -> NDArray[np.float64]:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos of the same (Vaswani et al. 2017, section 3.5).

    With an odd d_model the last sine has no cosine. Computed in float64, so that far positions are right to the last
    bit of whatever type they are cast to. [num_positions, d_model].
    """
    positions = np.arange(num_positions, dtype=np.float64)[:, None]
    rates = np.exp(np.arange(0, d_model, 2, dtype=np.float64) * (-math.log(10000.0) / d_model))
    table = np.empty((num_positions, d_model))
    table[:, 0::2] = np.sin(positions * rates)
    table[:, 1::2] = np.cos(positions * rates[: d_model // 2])
    return table
