"""Mean and standard deviation of metrics, including values that are not finite."""

from __future__ import annotations

from math import inf, isnan, nan

import pytest

from core.comparison.spread import spread


def test_only_metrics_of_all_runs_are_averaged() -> None:
    mean, deviation = spread([{"loss": 1.0, "own": 3.0}, {"loss": 2.0}])
    assert mean == {"loss": 1.5} and deviation == {"loss": pytest.approx(0.5**0.5)}


def test_infinities_of_both_signs_have_no_mean() -> None:
    mean, deviation = spread([{"own": inf}, {"own": -inf}])
    assert isnan(mean["own"]) and isnan(deviation["own"])


@pytest.mark.parametrize("value", [nan, inf])
def test_values_that_are_not_finite_have_no_deviation(value: float) -> None:
    """A plugin's metric may have such values."""
    mean, deviation = spread([{"own": value, "loss": 1.0}, {"own": 0.5, "loss": 1.0}])
    assert repr(mean["own"]) == repr(value) and isnan(deviation["own"]) and deviation["loss"] == 0.0


@pytest.mark.parametrize(
    ("values", "mean", "deviation"), [((1.7e308, 1.7e308), 1.7e308, 0.0), ((1.7e308, -1.7e308), 0.0, inf)]
)
def test_values_whose_sum_or_deviation_is_no_float_are_compared(
    values: tuple[float, float], mean: float, deviation: float
) -> None:
    assert spread([{"own": value} for value in values]) == ({"own": mean}, {"own": deviation})
