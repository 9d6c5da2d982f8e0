"""A curve that grows at its end: steps and values in arrays with spare capacity, so that appending copies nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Steps = NDArray[np.int64]
Values = NDArray[np.float64]


class GrowingCurve:
    """Strictly ascending steps, and a value for each."""

    def __init__(self) -> None:
        self._steps = np.empty(256, np.int64)
        self._values = np.empty(256, np.float64)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def arrays(self) -> tuple[Steps, Values]:
        """Views of the current [N] steps and [N] values. They do not grow, and must not be written to."""
        return self._steps[: self._length], self._values[: self._length]

    def extend(self, steps: ArrayLike, values: ArrayLike) -> None:
        """Append; values from the first of these steps on are replaced (a run went back and on again)."""
        steps, values = np.asarray(steps, np.int64), np.asarray(values, np.float64)
        if not len(steps):
            return
        self.truncate_after(int(steps[0]) - 1)
        end = self._length + len(steps)
        if end > len(self._steps):
            self._grow(end)
        self._steps[self._length : end] = steps
        self._values[self._length : end] = values
        self._length = end

    def truncate_after(self, step: int) -> None:
        """Drop everything after `step`."""
        if self._length and self._steps[self._length - 1] > step:
            self._length = int(np.searchsorted(self._steps[: self._length], step, side="right"))

    def _grow(self, needed: int) -> None:
        # New arrays, not a resize in place: a view that somebody draws from stays as it was.
        spare = max(needed, 2 * len(self._steps)) - self._length
        steps, values = self.arrays()
        self._steps, self._values = np.append(steps, np.empty(spare, np.int64)), np.append(values, np.empty(spare))
