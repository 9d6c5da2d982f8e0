"""Smooths a noisy curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_DECAY = 0.8  # factor on a neighbour's weight per step of distance
_REACH = 30  # steps; the weight there is about a thousandth
_KERNEL = _DECAY ** np.abs(np.arange(-_REACH, _REACH + 1))


def smoothed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n] average of each value and its neighbours on both sides, weighted by `_DECAY` per step of distance.

    A one-sided average would lag: it lies above a falling loss, by the slope times the length of its memory. At the
    ends, where neighbours are missing, the weights are normalised over those that exist.
    """
    if len(values) == 0:
        return values
    return _around(values) / _around(np.ones(len(values)))


def _around(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n] sum over the neighbours, weighted by their distance."""
    return np.convolve(values, _KERNEL)[_REACH : _REACH + len(values)]
