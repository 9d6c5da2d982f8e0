"""Smoothed targets and their loss, compared with the formula."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.label_smoothing import growing_confidence, smoothed_loss, smoothed_targets


def test_targets_spread_the_smoothing_over_all_tokens() -> None:
    targets = smoothed_targets([2, 0], 5, 0.4)
    np.testing.assert_allclose(targets, [[0.08, 0.08, 0.68, 0.08, 0.08], [0.68, 0.08, 0.08, 0.08, 0.08]])
    np.testing.assert_array_equal(smoothed_targets([1], 3, 0.0), [[0, 1, 0]])


def test_the_loss_equals_the_formula_and_is_least_at_the_target() -> None:
    odds = np.logspace(0, 4, 2001)
    probabilities, targets = growing_confidence(odds, 5), smoothed_targets([0], 5, 0.1)
    losses = smoothed_loss(probabilities, targets)
    for index in (0, 700, 2000):
        right, other = odds[index] / (odds[index] + 4), 1 / (odds[index] + 4)
        assert probabilities[index].tolist() == pytest.approx([right, *[other] * 4])
        assert losses[index] == pytest.approx(-0.92 * math.log(right) - 4 * 0.02 * math.log(other))
    assert probabilities[losses.argmin(), 0] == pytest.approx(0.92, abs=1e-3)
