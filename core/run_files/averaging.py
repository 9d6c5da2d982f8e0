"""The mean of several checkpoints' weights, and which checkpoints it is of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def steps_to_average(steps: Sequence[int], num_averaged: int, every: int) -> list[int]:
    """Of the ascending `steps` of checkpoints the last, and those at multiples of `every` before it: `num_averaged`.

    The best one, and one saved when a run was stopped, lie anywhere between these, and have no part in it.
    """
    regular = [step for step in steps[:-1] if step > 0 and step % every == 0]
    return [*regular[max(0, len(regular) + 1 - num_averaged) :], *steps[-1:]]


def mean_weights(several: Iterable[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """Name by name, added up in float64 and one at a time, so that two are in memory however many there are."""
    sums: dict[str, NDArray[np.float64]] = {}
    dtypes: dict[str, np.dtype[Any]] = {}
    count = 0
    for count, weights in enumerate(several, start=1):  # noqa: B007 (the last count is what is needed)
        for name, array in weights.items():
            sums[name] = sums[name] + array if name in sums else array.astype(np.float64)
            dtypes[name] = array.dtype
    return {name: (total / count).astype(dtypes[name]) for name, total in sums.items()}
