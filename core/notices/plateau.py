"""A plateau: the loss has not moved for long, and most of what there is to learn is not learned."""

from __future__ import annotations

from core.notices.experiments import different_learning_rate
from core.notices.notice import Rule
from core.notices.run_at_step import SMOOTHED_OVER, RunAtStep

MIN_FALL = 0.01
"""The share of ln V by which the loss must fall from one half of that time to the other: no more than the mean of a few
batches wanders by itself."""

PLATEAU_SHARE = 0.25
"""The share of all steps, but at least 80 steps: past its start, no preset stands still even for so few. A task that is
understood all at once may, so a good part of the run has to pass."""

_MIN_SHARE_LEFT = 0.5  # share of what there is to learn; below it, a loss that stands still may be the best possible
_MIN_MEANS = 4  # two to compare with two


def _check(run: RunAtStep) -> str | None:
    losses, loss_floor = run.losses(), run.loss_floor or 0.0
    half = max(int(PLATEAU_SHARE * run.config.training.max_steps) // SMOOTHED_OVER, _MIN_MEANS) // 2
    if len(losses) < 2 * half:
        return None
    before, now = losses[-2 * half : -half].mean(), losses[-half:].mean()
    is_still = before - now < MIN_FALL * run.guessing_loss
    if not is_still or now - loss_floor < _MIN_SHARE_LEFT * (run.guessing_loss - loss_floor):
        return None
    return (
        f"the training loss is {now:.2f} and was {before:.2f} before; "
        f"it has stood still for {2 * half * SMOOTHED_OVER:,} steps (guessing: {run.guessing_loss:.2f})"
    )


RULE = Rule(
    kind="plateau",
    title="a plateau",
    trigger="probe",
    meaning="Usually the learning rate is too low to make progress, or so high that every step undoes the one before.",
    check=_check,
    experiment=different_learning_rate,
)
