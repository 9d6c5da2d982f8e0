"""The smooth line, against the loop it stands for."""

from __future__ import annotations

import numpy as np
import pytest

from gui.smoothing import smoothed

DECAY = 0.9


def by_loop(values: list[float]) -> list[float]:
    """Adam's debiased moving average, value by value."""
    average, smooth = 0.0, []
    for count, value in enumerate(values, start=1):
        average = DECAY * average + (1 - DECAY) * value
        smooth.append(average / (1 - DECAY**count))
    return smooth


@pytest.mark.parametrize("length", [1, 2, 20, 3000])
def test_it_is_the_debiased_moving_average(length: int) -> None:
    values = np.random.default_rng(0).normal(3, 1, length)
    np.testing.assert_allclose(smoothed(values), by_loop(values.tolist()), rtol=1e-3)


def test_a_constant_stays_from_the_first_value_on() -> None:
    np.testing.assert_allclose(smoothed(np.full(500, 2.5)), 2.5, rtol=1e-12)


def test_nothing_stays_nothing() -> None:
    assert len(smoothed(np.empty(0))) == 0
