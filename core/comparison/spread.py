"""The spread of runs that differ only in their seed."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from math import inf, isfinite, nan


def spread(metrics: Sequence[Mapping[str, float]]) -> tuple[dict[str, float], dict[str, float]]:
    """Mean and sample standard deviation, over two or more runs, of every metric that all of them have.

    If a run's value is not finite, which a plugin's may be, the deviation is nan; above the largest float, it is inf.
    """
    names = [name for name in metrics[0] if all(name in one for one in metrics)]
    values = {name: [one[name] for one in metrics] for name in names}
    mean = {name: float(statistics.mean(given)) for name, given in values.items()}  # fmean's sum may overflow
    return mean, {name: _deviation(given) for name, given in values.items()}


def _deviation(values: Sequence[float]) -> float:
    if not all(map(isfinite, values)):
        return nan
    try:
        return statistics.stdev(values)
    except OverflowError:
        return inf
