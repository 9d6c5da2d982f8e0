"""When each token of the validation became right, teacher-forced, and when it was forgotten."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.events import ValidatedSentence

Right = NDArray[np.bool_]  # [N] whether each token of all sentences was the most probable one
Steps = NDArray[np.int64]
NEVER = -1


@dataclass(frozen=True, eq=False)
class TokenTimes:
    """Steps of validations for each of N tokens, in the order of the sentences; NEVER where there is none."""

    right_since: Steps  # for tokens that are right
    forgotten_at: Steps  # for tokens that were right and are wrong now
    times_forgotten: NDArray[np.int64]  # so far


def right_tokens(sentences: Sequence[ValidatedSentence]) -> Right:
    """Which tokens of one validation are right."""
    right: Right = np.array([rank == 0 for one in sentences for rank in one.rank])
    return right


class LearnedWhen:
    """Collects validations, in any order. All validations of a run are of the same sentences."""

    def __init__(self) -> None:
        self._right: dict[int, Right] = {}
        self._table: NDArray[np.bool_] | None = None  # [V, N] of all validations, in the order of their steps

    @property
    def steps(self) -> list[int]:
        """The steps of the validations it knows, ascending."""
        return sorted(self._right)

    def add(self, step: int, right: Right) -> None:
        """Add a validation."""
        self._right[step] = right
        self._table = None

    def remove(self, step: int) -> None:
        """Forget the validation of this step, if it is known."""
        self._right.pop(step, None)
        self._table = None

    def at(self, step: int) -> TokenTimes | None:
        """The times as they were known at `step`; None before the first validation."""
        steps = self.steps
        num = bisect_right(steps, step)
        if not num:
            return None
        if self._table is None:
            self._table = np.stack([self._right[known] for known in steps])
        return _times(np.array(steps[:num]), self._table[:num])


def _times(steps: Steps, right: Right) -> TokenTimes:
    """`right` is [V, N], one row for each of V validations."""
    num = len(steps)
    now = right[-1]
    same = right[::-1] == now  # newest first
    lasted = np.where(same.all(axis=0), num, np.argmin(same, axis=0))  # for how many validations it has stayed as it is
    since = steps[num - lasted]
    was_ever_right = right.any(axis=0)
    return TokenTimes(
        right_since=np.where(now, since, NEVER),
        forgotten_at=np.where(~now & was_ever_right, since, NEVER),
        times_forgotten=np.count_nonzero(right[:-1] > right[1:], axis=0),
    )
