"""Tracking the best validation, and the number of validations since."""

from __future__ import annotations

import math

import pytest

from core.training.best import Best


def taken(metric: str, values: list[float]) -> Best:
    best = Best(metric)
    for step, value in enumerate(values):
        best.update(value, step)
    return best


def test_a_falling_metric_keeps_its_lowest() -> None:
    best = taken("valid/loss", [3.0, 1.0, 2.0, 1.0])
    assert (best.value, best.step, best.num_without_better) == (1.0, 1, 2)


def test_a_rising_metric_keeps_its_highest() -> None:
    best = taken("valid/bleu", [3.0, 10.0, 2.0, 10.0])
    assert (best.value, best.step, best.num_without_better) == (10.0, 1, 2)


def test_nan_is_never_the_best() -> None:
    best = taken("valid/loss", [float("nan"), 2.0, float("nan")])
    assert (best.value, best.step, best.num_without_better) == (2.0, 1, 1)


@pytest.mark.parametrize("metric", ["valid/loss", "valid/bleu"])
@pytest.mark.parametrize("infinity", [math.inf, -math.inf])
def test_infinity_is_never_the_best(metric: str, infinity: float) -> None:
    best = taken(metric, [infinity, 2.0, infinity, infinity])
    assert (best.value, best.step, best.num_without_better) == (2.0, 1, 2)
    assert not Best(metric).is_improved_by(infinity, 5)


def test_the_same_validation_counts_once_and_stays_the_best() -> None:
    best = taken("valid/loss", [2.0, 3.0])
    best.update(3.0, 1)
    assert best.num_without_better == 1
    assert best.is_improved_by(2.0, 0) and not best.is_improved_by(2.0, 2)


def test_a_better_validation_of_the_same_step_is_the_best() -> None:
    """As `is_improved_by` says: of a run that ends with a larger beam, or a branch that searches the best anew."""
    best = taken("valid/bleu", [10.0, 5.0])
    best.update(12.0, 1)
    assert (best.value, best.step, best.num_without_better) == (12.0, 1, 0)
    branch = Best("valid/bleu", newest_step=8)
    branch.update(7.0, 8)
    assert (branch.value, branch.step) == (7.0, 8)


def test_the_best_is_restored_from_its_state() -> None:
    best = taken("valid/loss", [2.0, 3.0])
    assert Best(**best.state()) == best
