"""Right only when teacher-forced: fed by the reference nearly all is right, free-running nearly nothing."""

from __future__ import annotations

from core.notices.experiments import more_dropout
from core.notices.moment import Moment
from core.notices.notice import Rule
from core.per_cent import per_cent

MOST_LOST = 0.5
"""Share of right tokens that is lost from teacher-forced to free-running. A learning model loses some, since one error
causes others: the presets, once 75 % of their tokens are right, lose at most 0.11."""

_RIGHT = 0.75  # teacher-forced token accuracy from which on one would speak of success


def _look(moment: Moment) -> str | None:
    accuracy, errors = moment.metric("token_accuracy"), moment.metric("token_error_rate")
    if accuracy is None or errors is None or accuracy < _RIGHT or accuracy - (1.0 - errors) < MOST_LOST:
        return None
    return (
        f"{per_cent(accuracy)} of the tokens are right teacher-forced, but free-running "
        f"the token error rate is {per_cent(errors)}"
    )


RULE = Rule(
    kind="teacher_forced_only",
    title="right only when teacher-forced",
    looks_at="validation",
    usually="Usually the decoder relies on the previous token instead of the source, so one error leads to the next.",
    look=_look,
    experiment=more_dropout,
)
