"""A learning rate of nearly zero: the steps take time and change nothing."""

from __future__ import annotations

from core.notices.experiments import default_learning_rate
from core.notices.notice import Rule
from core.notices.run_at_step import RunAtStep

NEARLY_ZERO = 1e-6
"""Adam moves each weight by about the rate in a step: at 1e-6 a thousand steps move it by a hundredth of its usual size
of 0.1. SGD moves it by rate / (1 - momentum) times the gradient, which is seldom larger than 1."""

_STILL_TO_COME = 0.1  # share of the steps; schedules that end at zero reach such rates in their last hundredth
_LEARNED = 0.95  # share of right sentences from which on a rate of zero is as it should be


def _check(run: RunAtStep) -> str | None:
    training = run.config.training
    is_ending = run.step > (1.0 - _STILL_TO_COME) * training.max_steps
    if is_ending or not is_nearly_zero(run) or (run.metric("exact_match") or 0.0) >= _LEARNED:
        return None
    left = training.max_steps - run.step
    return f"the learning rate is {run.rates()[-1]:.3g}, with {left:,} step{'s' * (left != 1)} still to come"


def is_nearly_zero(run: RunAtStep) -> bool:
    """Whether the weights hardly move, so that not learning says nothing about anything else."""
    optimizer, rates = run.config.training.optimizer, run.rates()
    moved = rates / (1.0 - optimizer.momentum if optimizer.name == "sgd" else 1.0)
    return len(rates) > 0 and bool(moved.max() <= NEARLY_ZERO)


RULE = Rule(
    kind="no_rate",
    title="a learning rate of nearly zero",
    trigger="probe",
    meaning="Usually the schedule has run out, or the rate was typed with too many zeros: the weights hardly move.",
    check=_check,
    experiment=default_learning_rate,
)
