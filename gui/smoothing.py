"""The smooth line through a noisy curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_DECAY = 0.8  # of what a value counts for, with each step of distance
_REACH = 30  # steps; what is further away counts for about a thousandth
_KERNEL = _DECAY ** np.abs(np.arange(-_REACH, _REACH + 1))


def smoothed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n] average of each value and its neighbours on both sides, the nearer the more they count.

    Looking back only, it would lie above a falling loss, by the slope times its memory. Debiased: where neighbours are
    missing, at the ends, those that are there count for all.
    """
    if len(values) == 0:
        return values
    return _around(values) / _around(np.ones(len(values)))


def _around(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n] sum over the neighbours, weighted by their distance."""
    return np.convolve(values, _KERNEL)[_REACH : _REACH + len(values)]
