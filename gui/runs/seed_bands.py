"""The losses of runs that differ in their seed alone, as one band: the mean, and the range from lowest to highest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

Curve = tuple[NDArray[np.float64], NDArray[np.float64]]  # steps and values, [N] each


@dataclass(frozen=True, eq=False)
class Band:
    """Mean, lowest and highest value at each step that all the curves have; [N] each."""

    steps: NDArray[np.float64]
    mean: NDArray[np.float64]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]


def band_of(curves: Sequence[Curve]) -> Band:
    """The band of one curve or more, with ascending steps. Where any value is NaN, so is the band."""
    steps = reduce(np.intersect1d, (steps for steps, _ in curves))
    values = np.stack([values[np.isin(known, steps)] for known, values in curves])
    return Band(steps, values.mean(axis=0), values.min(axis=0), values.max(axis=0))


def rest_of(curve: Curve, band: Band) -> Curve:
    """The part of a curve from the end of its band on; nothing if the curve ends there, too."""
    steps, values = curve
    begins = int(np.searchsorted(steps, band.steps[-1])) if len(band.steps) else 0
    if len(band.steps) and begins == len(steps) - 1:
        begins = len(steps)
    return steps[begins:], values[begins:]
