"""A plateau: the loss has not moved for long, and most of what there is to learn is not learned."""

from __future__ import annotations

from core.notices.experiments import another_rate
from core.notices.moment import SMOOTHED_OVER, Moment
from core.notices.notice import Rule

STANDS_STILL = 0.01
"""The share of ln V by which the loss must fall from one half of that time to the other: no more than the mean of a few
batches wanders by itself."""

LONG = 0.25
"""The share of all steps, but at least 80 steps: past its start, no preset stands still even for so few. A task that is
understood all at once may, so a good part of the run has to pass."""

_MOST_LEFT = 0.5  # share of what there is to learn; below it, a loss that stands still may be the best possible
_FEWEST_MEANS = 4  # two to compare with two


def _look(moment: Moment) -> str | None:
    losses, floor = moment.losses(), moment.floor or 0.0
    half = max(int(LONG * moment.config.training.max_steps) // SMOOTHED_OVER, _FEWEST_MEANS) // 2
    if len(losses) < 2 * half:
        return None
    before, now = losses[-2 * half : -half].mean(), losses[-half:].mean()
    is_still = before - now < STANDS_STILL * moment.guessing
    if not is_still or now - floor < _MOST_LEFT * (moment.guessing - floor):
        return None
    return (
        f"the training loss is {now:.2f} and was {before:.2f} before; "
        f"it has stood still for {2 * half * SMOOTHED_OVER:,} steps (guessing: {moment.guessing:.2f})"
    )


RULE = Rule(
    kind="plateau",
    title="a plateau",
    looks_at="probe",
    usually="Usually the learning rate is too low to make progress, or so high that every step undoes the one before.",
    look=_look,
    experiment=another_rate,
)
