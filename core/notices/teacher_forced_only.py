"""Right only when teacher-forced: fed by the reference nearly all is right, free-running nearly nothing."""

from __future__ import annotations

from core.notices.experiments import more_dropout
from core.notices.notice import Rule
from core.notices.run_at_step import RunAtStep
from core.per_cent import per_cent

MAX_ACCURACY_LOST = 0.5
"""Share of right tokens that is lost from teacher-forced to free-running. A learning model loses some, since one error
causes others: the presets, once 75 % of their tokens are right, lose at most 0.11."""

_RIGHT = 0.75  # teacher-forced token accuracy from which on one would speak of success


def _check(run: RunAtStep) -> str | None:
    accuracy, errors = run.metric("token_accuracy"), run.metric("token_error_rate")
    if accuracy is None or errors is None or accuracy < _RIGHT or accuracy - (1.0 - errors) < MAX_ACCURACY_LOST:
        return None
    return (
        f"{per_cent(accuracy)} of the tokens are right teacher-forced, but free-running "
        f"the token error rate is {per_cent(errors)}"
    )


RULE = Rule(
    kind="teacher_forced_only",
    title="right only when teacher-forced",
    trigger="validation",
    meaning="Usually the decoder relies on the previous token instead of the source, so one error leads to the next.",
    check=_check,
    experiment=more_dropout,
)
