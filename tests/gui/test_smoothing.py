"""The smoothed curve equals a plain loop."""

from __future__ import annotations

import numpy as np
import pytest

from gui.smoothing import smoothed

DECAY = 0.8


def by_loop(values: list[float]) -> list[float]:
    """The average of all values, weighted by their distance."""
    smooth = []
    for here in range(len(values)):
        weights = [DECAY ** abs(here - there) for there in range(len(values))]
        smooth.append(float(np.dot(weights, values)) / sum(weights))
    return smooth


@pytest.mark.parametrize("length", [1, 2, 20, 300])
def test_it_averages_the_values_on_both_sides(length: int) -> None:
    values = np.random.default_rng(0).normal(3, 1, length)
    np.testing.assert_allclose(smoothed(values), by_loop(values.tolist()), rtol=3e-3)


def test_a_constant_curve_does_not_change() -> None:
    np.testing.assert_allclose(smoothed(np.full(500, 2.5)), 2.5, rtol=1e-12)


def test_the_interior_of_a_falling_line_does_not_change() -> None:
    falling = np.linspace(5, 1, 200)
    np.testing.assert_allclose(smoothed(falling)[30:-30], falling[30:-30], rtol=1e-9)


def test_an_empty_curve_stays_empty() -> None:
    assert len(smoothed(np.empty(0))) == 0
