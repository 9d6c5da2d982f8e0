"""Averages the weights of several checkpoints, and chooses which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import TrainingConfig


def averaged_steps(checkpoints: Sequence[int], step: int, training: TrainingConfig) -> list[int]:
    """The steps of the checkpoints whose mean `--checkpoint last` is at `step`: `step` itself, and before it the newest
    at multiples of `checkpoint_every`, `average_checkpoints` in all. Without averaging, or others, `step` alone.

    `checkpoints` is ascending. The best checkpoint, and one saved when a run was stopped, may be at any step and are
    not averaged unless they are at such a multiple.
    """
    regular = [known for known in checkpoints if 0 < known < step and known % training.checkpoint_every == 0]
    return [*regular[max(0, len(regular) + 1 - training.average_checkpoints) :], step]


def mean_weights(several: Iterable[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """The mean of each weight, summed in float64, one checkpoint after the other, so that only two are in memory."""
    sums: dict[str, NDArray[np.float64]] = {}
    dtypes: dict[str, np.dtype[Any]] = {}
    count = 0
    for count, weights in enumerate(several, start=1):  # noqa: B007 (the last count is what is needed)
        for name, array in weights.items():
            sums[name] = sums[name] + array if name in sums else array.astype(np.float64)
            dtypes[name] = array.dtype
    return {name: (total / count).astype(dtypes[name]) for name, total in sums.items()}
