"""The mean of several checkpoints' weights, and which checkpoints it is of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import TrainingConfig


def averaged_steps(checkpoints: Sequence[int], step: int, training: TrainingConfig) -> list[int]:
    """Of the ascending steps of checkpoints those whose mean `--checkpoint last` means at `step`: it, and before it
    those at multiples of `checkpoint_every`, `average_checkpoints` in all. Without averaging, or any there, it alone.

    The best one, and one saved when a run was stopped, lie anywhere between these, and have no part in it.
    """
    regular = [known for known in checkpoints if 0 < known < step and known % training.checkpoint_every == 0]
    return [*regular[max(0, len(regular) + 1 - training.average_checkpoints) :], step]


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
