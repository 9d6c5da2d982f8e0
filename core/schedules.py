"""How the learning rate changes with the step: what training follows and the window draws. Free of torch."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.config import OptimizerConfig, ScheduleConfig


def learning_rate(
    schedule: ScheduleConfig, optimizer: OptimizerConfig, d_model: int, max_steps: int, step: ArrayLike
) -> NDArray[np.float64]:
    """The rate of optimizer update `step`, counted from 1; an array of steps gives an array of rates of its shape.

    Every schedule rises linearly from 0 over `warmup_steps` and reaches its peak at that step. `noam` (Vaswani et al.
    2017, section 5.3) is factor / sqrt(d_model) * min(1/sqrt(step), step / warmup_steps^1.5) and ignores
    `learning_rate`; for the others that is the peak. After the warm-up `inverse_sqrt` falls as 1/sqrt(step), `cosine`
    and `linear` reach 0 at max_steps, `constant` stays.
    """
    steps = np.asarray(step, dtype=np.float64)
    warmup = float(schedule.warmup_steps)
    if schedule.name == "noam":
        return np.asarray(schedule.factor * d_model**-0.5 * _inverse_sqrt(steps, warmup) / np.sqrt(max(warmup, 1.0)))
    if schedule.name == "inverse_sqrt":
        return np.asarray(optimizer.learning_rate * _inverse_sqrt(steps, warmup))
    rising = np.minimum(1.0, steps / max(warmup, 1.0))
    return np.asarray(optimizer.learning_rate * rising * _falling(schedule.name, steps, warmup, max_steps))


def _inverse_sqrt(steps: NDArray[np.float64], warmup: float) -> NDArray[np.float64]:
    """Rises to 1 at the end of the warm-up, then falls as 1/sqrt(step)."""
    warmup = max(warmup, 1.0)
    return np.asarray(np.minimum(steps / warmup, np.sqrt(warmup / np.maximum(steps, 1.0))))


def _falling(name: str, steps: NDArray[np.float64], warmup: float, max_steps: int) -> NDArray[np.float64] | float:
    """1 until the end of the warm-up, then the part of the peak that is left."""
    if name == "constant":
        return 1.0
    progress = np.clip((steps - warmup) / max(max_steps - warmup, 1.0), 0.0, 1.0)
    return 1.0 - progress if name == "linear" else 0.5 * (1.0 + np.cos(np.pi * progress))
