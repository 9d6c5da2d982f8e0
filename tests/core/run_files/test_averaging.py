"""Which checkpoints are averaged, and that their mean is numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from core.run_files.averaging import mean_weights, steps_to_average


@pytest.mark.parametrize(
    ("num_averaged", "expected"),
    [(0, [45]), (1, [45]), (2, [40, 45]), (3, [30, 40, 45]), (9, [10, 20, 30, 40, 45])],
)
def test_the_last_and_those_asked_for_before_it(num_averaged: int, expected: list[int]) -> None:
    assert steps_to_average([0, 7, 10, 20, 30, 33, 40, 45], num_averaged, every=10) == expected


def test_the_first_alone() -> None:
    assert steps_to_average([0], 5, every=10) == [0]


def test_of_none_there_is_none() -> None:
    assert steps_to_average([], 5, every=10) == []


def test_the_mean_is_that_of_float64_in_the_weights_own_type() -> None:
    random = np.random.default_rng(0)
    several = [{"a": random.normal(size=(3, 4)).astype(np.float32), "b": np.full(1, i, np.float32)} for i in range(5)]
    mean = mean_weights(several)
    assert mean["a"].dtype == np.float32 and mean["b"] == 2.0
    expected = np.mean([weights["a"].astype(np.float64) for weights in several], axis=0).astype(np.float32)
    np.testing.assert_array_equal(mean["a"], expected)
