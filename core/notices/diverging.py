"""Divergence: the loss climbs far above its lowest value."""

from __future__ import annotations

from core.notices.experiments import lower_learning_rate
from core.notices.notice import Rule
from core.notices.run_at_step import RunAtStep

MAX_CLIMB = 0.25
"""The share of ln V that the loss may climb above its lowest. The presets' worst relapse is 0.085, that of `addition`
at its peak learning rate; a diverging run climbs by more within a few steps."""


def _check(run: RunAtStep) -> str | None:
    losses, guessing = run.losses(), run.guessing_loss
    lowest = losses.min(initial=guessing)
    if not len(losses) or losses[-1] <= lowest + MAX_CLIMB * guessing:
        return None
    before = f"after it had been {lowest:.2f}" if lowest < guessing else f"and guessing would reach {guessing:.2f}"
    return f"the training loss is {losses[-1]:.2f}, {before}"


RULE = Rule(
    kind="diverging",
    title="the loss climbs",
    trigger="probe",
    meaning="Usually the learning rate is too high for this batch size: each step overshoots more than the last.",
    check=_check,
    experiment=lower_learning_rate,
)
