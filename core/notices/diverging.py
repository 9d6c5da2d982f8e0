"""Divergence: the loss climbs far above its lowest value."""

from __future__ import annotations

from core.notices.experiments import slower
from core.notices.moment import Moment
from core.notices.notice import Rule

CLIMBED = 0.25
"""The share of ln V that the loss may climb above its lowest. The presets' worst relapse is 0.085, that of `addition`
at its peak learning rate; a diverging run climbs by more within a few steps."""


def _look(moment: Moment) -> str | None:
    losses = moment.losses()
    lowest = losses.min(initial=moment.guessing)
    if not len(losses) or losses[-1] <= lowest + CLIMBED * moment.guessing:
        return None
    return f"the training loss is {losses[-1]:.2f}, after it had been {lowest:.2f}"


RULE = Rule(
    kind="diverging",
    title="the loss climbs",
    looks_at="probe",
    usually="Usually the learning rate is too high for this batch size: each step overshoots more than the last.",
    look=_look,
    experiment=slower,
)
