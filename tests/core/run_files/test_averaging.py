"""Averaging checkpoints: the chosen steps, and the mean compared with numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from core.config import TrainingConfig
from core.run_files.averaging import averaged_steps, mean_weights


def training(num_averaged: int) -> TrainingConfig:
    return TrainingConfig(average_checkpoints=num_averaged, checkpoint_every=10)


@pytest.mark.parametrize(
    ("num_averaged", "expected"),
    [(0, [45]), (1, [45]), (2, [40, 45]), (3, [30, 40, 45]), (9, [10, 20, 30, 40, 45])],
)
def test_the_last_checkpoint_and_those_before_it_are_averaged(num_averaged: int, expected: list[int]) -> None:
    assert averaged_steps([0, 7, 10, 20, 30, 33, 40, 45, 50], 45, training(num_averaged)) == expected


def test_a_checkpoint_at_a_multiple_counts_once() -> None:
    assert averaged_steps([10, 20, 30, 40], 40, training(3)) == [20, 30, 40]


def test_a_single_checkpoint_is_averaged_alone() -> None:
    assert averaged_steps([0], 0, training(5)) == [0]


def test_without_checkpoints_only_the_step_itself_is_used() -> None:
    assert averaged_steps([], 7, training(5)) == [7]


def test_the_mean_is_computed_in_float64_and_returned_in_the_weights_dtype() -> None:
    random = np.random.default_rng(0)
    several = [{"a": random.normal(size=(3, 4)).astype(np.float32), "b": np.full(1, i, np.float32)} for i in range(5)]
    mean = mean_weights(several)
    assert mean["a"].dtype == np.float32 and mean["b"] == 2.0
    expected = np.mean([weights["a"].astype(np.float64) for weights in several], axis=0).astype(np.float32)
    np.testing.assert_array_equal(mean["a"], expected)
