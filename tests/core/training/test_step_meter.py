"""The meter collects the metrics of steps until they are read, and none from the first that is not finite on."""

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
    """A clock that stands still unless a test sets it."""
    now = [0.0]
    monkeypatch.setattr(step_meter, "monotonic", lambda: now[0])
    return now


def take(meter: StepMeter, step: int, loss: float) -> None:
    measured = torch.tensor(loss), torch.tensor(loss + 1), torch.tensor(2.0)
    meter.record(step, measured, rate=1e-3, num_tokens=step * 100, seconds=0.5, epoch=0.5)


def tokens_per_second(meter: StepMeter) -> list[float]:
    event = meter.read()
    assert event is not None
    rates: list[float] = event.arrays["train/target_tokens_per_second"].tolist()
    return rates


def test_steps_are_returned_in_order_until_cleared() -> None:
    meter = StepMeter(CPU)
    for step in (7, 8, 9):
        take(meter, step, float(step))
    event = meter.read()
    assert event is not None and event.first_step == 7
    assert event.arrays["train/loss"].tolist() == [7.0, 8.0, 9.0]
    assert event.arrays["train/objective"].tolist() == [8.0, 9.0, 10.0]
    second = meter.read()
    assert second is not None and np.array_equal(second.arrays["time"], event.arrays["time"])
    meter.clear()
    assert meter.read() is None
    take(meter, 10, 1.0)
    assert event.arrays["train/loss"].tolist() == [7.0, 8.0, 9.0]  # arrays already returned do not change


def test_a_step_that_is_not_finite_is_noticed_at_once_on_a_cpu_and_not_returned() -> None:
    meter = StepMeter(CPU)
    take(meter, 1, 1.0)
    assert not meter.is_due
    take(meter, 2, math.nan)
    assert meter.is_due and meter.not_finite_at == 2
    take(meter, 3, 1.0)
    event = meter.read()
    assert event is not None and event.arrays["train/loss"].tolist() == [1.0]
    assert meter.not_finite_at == 2


@pytest.mark.parametrize("is_loss_finite", [False, True])
def test_a_gpu_is_asked_only_when_reading_which_step_and_what_of_it_is_not_finite(
    is_loss_finite: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    meter = StepMeter(CPU)
    monkeypatch.setattr(meter, "_is_cheap_to_read", False)
    take(meter, 7, 1.0)
    measured = torch.tensor(1.0 if is_loss_finite else math.nan), torch.tensor(2.0), torch.tensor(math.inf)
    meter.record(8, measured, rate=1e-3, num_tokens=1, seconds=0.5, epoch=0.5)
    assert not meter.is_due
    event = meter.read()
    assert event is not None and event.arrays["train/loss"].tolist() == [1.0]
    assert (meter.not_finite_at, meter.is_loss_finite) == (8, is_loss_finite)


def test_if_the_first_step_is_not_finite_nothing_is_returned() -> None:
    meter = StepMeter(CPU)
    take(meter, 5, math.inf)
    assert meter.read() is None and meter.not_finite_at == 5


def test_reading_is_due_when_the_meter_is_full() -> None:
    meter = StepMeter(CPU)
    step = 0
    while not meter.is_due:
        step += 1
        take(meter, step, 1.0)
    event = meter.read()
    assert event is not None and len(event.arrays["time"]) == step == 1024


def test_reading_is_due_a_few_times_a_second_if_there_are_steps(clock: list[float]) -> None:
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


def test_on_a_cpu_each_step_has_its_own_tokens_per_second() -> None:
    meter = StepMeter(CPU)
    take(meter, 1, 1.0)
    take(meter, 2, 1.0)
    assert tokens_per_second(meter) == [200.0, 400.0]


def test_on_a_gpu_the_wait_for_the_device_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU computes after the calls return: here two steps take half a second each to launch and four to wait for."""
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
