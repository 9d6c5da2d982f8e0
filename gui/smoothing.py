"""The smooth line over a noisy curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_DECAY = 0.9  # follows within ten steps
_KERNEL = _DECAY ** np.arange(int(np.log(1e-3) / np.log(_DECAY)))


def smoothed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n] exponential moving average, debiased as in Adam (Kingma and Ba 2015, section 3): exact from the first value.

    The tail below a thousandth is cut off, so that one convolution does for any length.
    """
    if len(values) == 0:
        return values
    summed = np.convolve(values, _KERNEL)[: len(values)]
    weights = np.cumsum(_KERNEL)
    return summed / weights[np.minimum(np.arange(len(values)), len(_KERNEL) - 1)]
