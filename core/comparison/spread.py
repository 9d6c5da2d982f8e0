"""The spread of runs that differ only in their seed."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from math import isfinite, nan


def spread(metrics: Sequence[Mapping[str, float]]) -> tuple[dict[str, float], dict[str, float]]:
    """Mean and sample standard deviation, over two or more runs, of every metric that all of them have.

    If a run's value is not finite, which a plugin's may be, the deviation is nan.
    """
    names = [name for name in metrics[0] if all(name in one for one in metrics)]
    values = {name: [one[name] for one in metrics] for name in names}
    mean = {name: _mean(given) for name, given in values.items()}
    return mean, {name: statistics.stdev(given) if isfinite(mean[name]) else nan for name, given in values.items()}


def _mean(values: Sequence[float]) -> float:
    """The mean by float addition: nan for infinities of both signs, where fmean raises."""
    return statistics.fmean(values) if all(map(isfinite, values)) else sum(values)
