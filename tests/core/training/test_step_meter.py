"""Steps are read late, once each, and never beyond the first that is not finite."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from core.training import step_meter
from core.training.step_meter import StepMeter

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """It stands still unless a test sets it."""
    now = [0.0]
    monkeypatch.setattr(step_meter, "monotonic", lambda: now[0])
    return now


def take(meter: StepMeter, step: int, loss: float) -> None:
    measured = torch.tensor(loss), torch.tensor(loss + 1), torch.tensor(2.0)
    meter.record(step, measured, rate=1e-3, num_tokens=step * 100, seconds=0.5, epoch=0.5)


def tokens_per_second(meter: StepMeter) -> list[float]:
    done = meter.read()
    assert done is not None
    rates: list[float] = done.arrays["train/target_tokens_per_second"].tolist()
    return rates


def test_steps_come_in_order_and_only_until_cleared() -> None:
    meter = StepMeter(CPU)
    for step in (7, 8, 9):
        take(meter, step, float(step))
    done = meter.read()
    assert done is not None and done.first_step == 7
    assert done.arrays["train/loss"].tolist() == [7.0, 8.0, 9.0]
    assert done.arrays["train/objective"].tolist() == [8.0, 9.0, 10.0]
    again = meter.read()
    assert again is not None and np.array_equal(again.arrays["time"], done.arrays["time"])
    meter.clear()
    assert meter.read() is None
    take(meter, 10, 1.0)
    assert done.arrays["train/loss"].tolist() == [7.0, 8.0, 9.0]  # what was handed out stays


def test_what_is_not_finite_is_seen_at_once_on_a_cpu_and_not_handed_out() -> None:
    meter = StepMeter(CPU)
    take(meter, 1, 1.0)
    assert not meter.is_due
    take(meter, 2, math.nan)
    assert meter.is_due and meter.not_finite_at == 2
    take(meter, 3, 1.0)
    done = meter.read()
    assert done is not None and done.arrays["train/loss"].tolist() == [1.0]
    assert meter.not_finite_at == 2


def test_a_first_step_that_is_not_finite_leaves_nothing_to_hand_out() -> None:
    meter = StepMeter(CPU)
    take(meter, 5, math.inf)
    assert meter.read() is None and meter.not_finite_at == 5


def test_it_is_due_when_its_room_is_full() -> None:
    meter = StepMeter(CPU)
    step = 0
    while not meter.is_due:
        step += 1
        take(meter, step, 1.0)
    done = meter.read()
    assert done is not None and len(done.arrays["time"]) == step == 1024


def test_it_is_due_a_few_times_a_second_where_there_is_anything(clock: list[float]) -> None:
    meter = StepMeter(CPU)
    clock[0] = 0.3
    assert not meter.is_due
    take(meter, 1, 1.0)
    assert meter.is_due
    meter.clear()
    take(meter, 2, 1.0)
    assert not meter.is_due
    clock[0] = 0.6
    assert meter.is_due


def test_on_a_cpu_each_step_has_its_own_tokens_a_second() -> None:
    meter = StepMeter(CPU)
    take(meter, 1, 1.0)
    take(meter, 2, 1.0)
    assert tokens_per_second(meter) == [200.0, 400.0]


def test_elsewhere_the_wait_for_the_device_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU does the steps after they were asked for: here two of them, half a second to ask and four to wait."""
    meter = StepMeter(CPU)
    monkeypatch.setattr(meter, "_is_cheap_to_read", False)
    ticks = iter([10.0, 14.0, 20.0, 21.0])
    monkeypatch.setattr(step_meter, "perf_counter", lambda: next(ticks))
    take(meter, 1, 1.0)
    take(meter, 2, 1.0)
    assert tokens_per_second(meter) == [300 / 5, 300 / 5]
    meter.clear()
    take(meter, 3, 1.0)
    assert tokens_per_second(meter) == [300 / 1.5]
