"""A loss below the noise floor: what lies below it can only be memorised."""

from __future__ import annotations

from core.notices.experiments import more_dropout
from core.notices.notice import Rule
from core.notices.run_at_step import RunAtStep

BELOW_THE_FLOOR = 0.9
"""Share of the noise floor. The floor is that of the distribution: what a finite train split happens to hold, and the
batches that a mean is over, may be a few per cent below it without any memorising."""


def _check(run: RunAtStep) -> str | None:
    losses, loss_floor = run.losses(), run.loss_floor
    if loss_floor is None or not len(losses) or not losses[-1] < BELOW_THE_FLOOR * loss_floor:
        return None
    valid = run.metric("loss")
    valid_text = f", and on validation {valid:.3f}" if valid is not None else ""
    return f"the training loss is {losses[-1]:.3f}, under the noise floor {loss_floor:.3f}{valid_text}"


RULE = Rule(
    kind="memorising",
    title="the training data are learned by heart",
    trigger="probe",
    meaning="Usually the model is large enough to learn each pair's noise by heart, which helps with no other pair.",
    check=_check,
    experiment=more_dropout,
)
