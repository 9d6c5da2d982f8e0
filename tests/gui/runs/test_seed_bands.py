"""A band of seeds follows its definition at the steps that all curves have."""

from __future__ import annotations

import numpy as np

from gui.runs.seed_bands import band_of, rest_of


def test_a_band_has_mean_lowest_and_highest_at_common_steps() -> None:
    longer = np.array([1.0, 2.0, 3.0]), np.array([4.0, 3.0, 9.0])
    shorter = np.array([0.0, 1.0, 2.0]), np.array([7.0, 2.0, 5.0])
    band = band_of([longer, shorter])
    np.testing.assert_array_equal(band.steps, [1.0, 2.0])
    np.testing.assert_array_equal(band.mean, [3.0, 4.0])
    np.testing.assert_array_equal(band.lowest, [2.0, 3.0])
    np.testing.assert_array_equal(band.highest, [4.0, 5.0])
    nothing = band_of([longer, (np.empty(0), np.empty(0))])
    assert len(nothing.steps) == len(nothing.mean) == 0


def test_the_rest_of_a_curve_begins_at_the_end_of_its_band() -> None:
    steps = np.arange(1.0, 6.0)
    longer, shorter, longest = ((steps[:end], 9.0 - steps[:end]) for end in (4, 3, 5))
    band = band_of([longer, shorter, longest])
    rests = [rest_of(curve, band) for curve in (longer, shorter, longest)]
    assert [rest[0].tolist() for rest in rests] == [[3, 4], [], [3, 4, 5]]
    assert [rest[1].tolist() for rest in rests] == [[6, 5], [], [6, 5, 4]]
    nothing = np.empty(0), np.empty(0)
    assert rest_of(longer, band_of([longer, nothing]))[0].tolist() == [1, 2, 3, 4]
    assert len(rest_of(nothing, band_of([nothing, nothing]))[0]) == 0
