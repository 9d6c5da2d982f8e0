"""The smooth line over a noisy curve."""

import numpy as np

from gui.smoothing import smoothed


def test_it_is_the_debiased_moving_average() -> None:
    values = np.random.default_rng(0).normal(3.0, 1.0, 300)
    average, expected = 0.0, []
    for count, value in enumerate(values, start=1):
        average = 0.9 * average + 0.1 * value
        expected.append(average / (1 - 0.9**count))
    assert np.allclose(smoothed(values), expected, atol=5e-3)


def test_a_level_stays_a_level_from_the_first_value_on() -> None:
    assert np.allclose(smoothed(np.full(50, 2.5)), 2.5)
    assert len(smoothed(np.zeros(0))) == 0
