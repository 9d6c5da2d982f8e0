"""The best validation so far, and how many followed it without improvement, for early stopping."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from core.training.metrics import higher_is_better


@dataclass
class Best:
    """The best value of one metric. Ties are no improvement, and neither is a value that is not finite."""

    metric: str
    value: float | None = None
    step: int | None = None
    newest_step: int | None = None  # of the newest validation taken in
    num_without_better: int = 0  # validations since the best one

    def is_improved_by(self, value: float, step: int) -> bool:
        """Whether this would be the best; still true when asked again at the best step."""
        if not math.isfinite(value):  # the best so far stands, and JSON has no such number
            return False
        if self.value is None:
            return True
        return step == self.step or (value > self.value if higher_is_better(self.metric) else value < self.value)

    def update(self, value: float, step: int) -> None:
        """Record a validation; one of the same step, as with another beam, counts once if it is no improvement."""
        if self.is_improved_by(value, step):
            self.value, self.step, self.num_without_better = value, step, 0
        elif step != self.newest_step:
            self.num_without_better += 1
        self.newest_step = step

    def state(self) -> dict[str, Any]:
        """Plain values, from which `Best(**state)` restores it."""
        return asdict(self)
