"""A loss below the noise floor: what lies below it can only be memorised."""

from __future__ import annotations

from core.notices.experiments import more_dropout
from core.notices.moment import Moment
from core.notices.notice import Rule

BELOW_THE_FLOOR = 0.9
"""Share of the noise floor. The floor is that of the distribution: what a finite train split happens to hold, and the
batches that a mean is over, may be a few per cent below it without any memorising."""


def _look(moment: Moment) -> str | None:
    losses, floor = moment.losses(), moment.floor
    if floor is None or not len(losses) or not losses[-1] < BELOW_THE_FLOOR * floor:
        return None
    valid = moment.metric("loss")
    there = f", and on validation {valid:.3f}" if valid is not None else ""
    return f"the training loss is {losses[-1]:.3f}, under the noise floor {floor:.3f}{there}"


RULE = Rule(
    kind="memorising",
    title="the training data are learned by heart",
    looks_at="probe",
    usually="Usually the model is large enough to learn each pair's noise by heart, which helps with no other pair.",
    look=_look,
    experiment=more_dropout,
)
