"""The schedules, compared with their formulas and at points they must pass through."""

from __future__ import annotations

import numpy as np
import pytest

from core.config import OptimizerConfig, ScheduleConfig
from core.schedules import learning_rate

PEAK = OptimizerConfig(learning_rate=0.02)


def rate(name: str, step: int, warmup_steps: int = 100, max_steps: int = 1000) -> float:
    schedule = ScheduleConfig.model_validate({"name": name, "warmup_steps": warmup_steps})
    return float(learning_rate(schedule, PEAK, 512, max_steps, step))


def test_noam_is_the_papers_formula_with_its_factor() -> None:
    schedule = ScheduleConfig(name="noam", warmup_steps=4000, factor=2.0)
    for step in (1, 10, 3999, 4000, 4001, 100_000):
        expected = 2.0 * 512**-0.5 * min(step**-0.5, step * 4000**-1.5)
        assert float(learning_rate(schedule, PEAK, 512, 10, step)) == pytest.approx(expected, rel=1e-12)


def test_noam_without_warmup_decays_from_the_first_step() -> None:
    assert rate("noam", 1, warmup_steps=0) == pytest.approx(512**-0.5)
    assert rate("noam", 4, warmup_steps=0) == pytest.approx(512**-0.5 / 2)


@pytest.mark.parametrize("name", ["inverse_sqrt", "cosine", "linear", "constant"])
def test_the_warmup_rises_linearly_to_the_peak(name: str) -> None:
    assert rate(name, 1) == pytest.approx(0.02 / 100, rel=1e-3)
    assert rate(name, 50) == pytest.approx(0.02 / 2, rel=1e-9)
    assert rate(name, 100) == pytest.approx(0.02, rel=1e-9)


@pytest.mark.parametrize("name", ["noam", "inverse_sqrt", "cosine", "linear", "constant"])
@pytest.mark.parametrize("warmup_steps", [0, 1, 5, 10, 20])
def test_every_rate_is_finite_and_not_negative_even_if_warmup_outlasts_the_run(name: str, warmup_steps: int) -> None:
    schedule = ScheduleConfig.model_validate({"name": name, "warmup_steps": warmup_steps})
    rates = learning_rate(schedule, PEAK, 16, 10, np.arange(1, 31))
    assert np.isfinite(rates).all() and (rates >= 0.0).all()
    assert name == "noam" or rates.max() <= PEAK.learning_rate


def test_after_the_warmup_each_schedule_decays_by_its_formula() -> None:
    assert rate("inverse_sqrt", 400) == pytest.approx(0.02 / 2)
    assert rate("cosine", 550) == pytest.approx(0.02 / 2)
    assert rate("cosine", 325) == pytest.approx(0.02 * 0.5 * (1 + np.cos(np.pi / 4)))
    assert rate("linear", 325) == pytest.approx(0.02 * 0.75)
    assert rate("cosine", 1000) == pytest.approx(0.0, abs=1e-15) and rate("linear", 1000) == 0.0
    assert rate("constant", 900) == 0.02
    assert rate("linear", 1, warmup_steps=0) == pytest.approx(0.02 * 0.999)


def test_an_array_of_steps_gives_each_steps_rate() -> None:
    steps = np.arange(1, 50)
    schedule = ScheduleConfig(name="cosine", warmup_steps=10)
    together = learning_rate(schedule, PEAK, 64, 40, steps)
    assert together.shape == steps.shape
    assert together.tolist() == [float(learning_rate(schedule, PEAK, 64, 40, int(step))) for step in steps]
