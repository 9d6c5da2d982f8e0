"""Learning-rate schedules, which training follows and the window draws. Free of torch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.config import OptimizerConfig, ScheduleConfig

_Steps = NDArray[np.float64]


def learning_rate(
    schedule: ScheduleConfig, optimizer: OptimizerConfig, d_model: int, max_steps: int, step: ArrayLike
) -> _Steps:
    """The rate of optimizer update `step`, counted from 1; an array of steps gives an array of rates of its shape.

    Every schedule rises linearly from 0 over `warmup_steps` and reaches its peak at that step. `noam` (Vaswani et al.
    2017, section 5.3) is factor / sqrt(d_model) * min(1/sqrt(step), step / warmup_steps^1.5) and ignores
    `learning_rate`; for the others that is the peak. After the warm-up `inverse_sqrt` falls as 1/sqrt(step), `cosine`
    and `linear` reach 0 at max_steps, `constant` stays. Without a warm-up `cosine` and `linear` fall from step 0 on,
    before the first update; for the others, a warm-up of 0 steps counts as one of 1.
    """
    peak = schedule.factor * d_model**-0.5 if schedule.name == "noam" else optimizer.learning_rate
    steps, warmup = np.asarray(step, dtype=np.float64), float(schedule.warmup_steps)
    return np.asarray(_SCHEDULES[schedule.name](peak, steps, warmup, max_steps))


def _constant(peak: float, steps: _Steps, warmup: float, _: int) -> _Steps:
    return peak * _warmup_factor(steps, warmup)


def _linear(peak: float, steps: _Steps, warmup: float, max_steps: int) -> _Steps:
    return peak * _warmup_factor(steps, warmup) * (1.0 - _progress(steps, warmup, max_steps))


def _cosine(peak: float, steps: _Steps, warmup: float, max_steps: int) -> _Steps:
    return peak * _warmup_factor(steps, warmup) * (0.5 * (1.0 + np.cos(np.pi * _progress(steps, warmup, max_steps))))


def _inverse_sqrt(peak: float, steps: _Steps, warmup: float, _: int) -> _Steps:
    warmup = max(warmup, 1.0)
    return np.asarray(peak * np.minimum(steps / warmup, np.sqrt(warmup / np.maximum(steps, 1.0))))


def _noam(peak: float, steps: _Steps, warmup: float, max_steps: int) -> _Steps:
    return np.asarray(_inverse_sqrt(peak, steps, warmup, max_steps) / np.sqrt(max(warmup, 1.0)))


_SCHEDULES: dict[str, Callable[[float, _Steps, float, int], _Steps]] = {
    "noam": _noam,
    "inverse_sqrt": _inverse_sqrt,
    "cosine": _cosine,
    "linear": _linear,
    "constant": _constant,
}


def _warmup_factor(steps: _Steps, warmup: float) -> _Steps:
    """Rises linearly, to 1 at the end of the warm-up."""
    return np.minimum(1.0, steps / max(warmup, 1.0))


def _progress(steps: _Steps, warmup: float, max_steps: int) -> _Steps:
    """Goes from 0 at the end of the warm-up to 1 at max_steps."""
    return np.clip((steps - warmup) / max(max_steps - warmup, 1.0), 0.0, 1.0)
