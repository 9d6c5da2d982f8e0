"""How far runs that differ in their seed alone lie apart."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from math import isfinite, nan


def spread(metrics: Sequence[Mapping[str, float]]) -> tuple[dict[str, float], dict[str, float]]:
    """Mean and sample standard deviation, over two runs or more, of every metric that all of them have.

    Where a run's value is not finite, as a plugin's may be, there is no deviation: it is nan.
    """
    names = [name for name in metrics[0] if all(name in one for one in metrics)]
    values = {name: [one[name] for one in metrics] for name in names}
    mean = {name: _mean(given) for name, given in values.items()}
    return mean, {name: statistics.stdev(given) if isfinite(mean[name]) else nan for name, given in values.items()}


def _mean(values: Sequence[float]) -> float:
    """As floats add: with infinities of both signs nan, where fmean raises."""
    return statistics.fmean(values) if all(map(isfinite, values)) else sum(values)
