"""Marks the steps of a run where something happened that is worth looking back at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from core.history import History
from core.per_cent import per_cent
from core.user_input.quoting import format_value

MarkKind = Literal["right", "best", "setting", "aligned", "noticed"]


@dataclass(frozen=True)
class Mark:
    """What happened at a step, in words."""

    step: int
    kind: MarkKind
    text: str


def collect_marks(history: History) -> tuple[Mark, ...]:
    """The first right answer, the best validation, changed settings, heads that found the alignment, and notices."""
    return tuple(sorted(_marks(history), key=lambda mark: mark.step))


def best_validation(history: History) -> Mark | None:
    """The validation that the run itself calls the best, and by which metric; None if there is none yet."""
    if history.prepared is None or not history.best_steps:
        return None
    step = max(history.best_steps)
    metric, since = history.best_metric_at(step)
    among = f"since step {since:,}" if since else "so far"
    return Mark(step, "best", f"step {step:,}: the best validation {among}, by {metric}")


def _marks(history: History) -> Iterator[Mark]:
    right = (step for step, metrics in history.validations.items() if metrics.get("valid/exact_match", 0.0) > 0.0)
    if (first := next(right, None)) is not None:
        share = per_cent(history.validations[first]["valid/exact_match"], 1)
        yield Mark(first, "right", f"step {first:,}: the first right answers, {share} of the validation's sentences")
    if (best := best_validation(history)) is not None:
        yield best
    for changed in history.effective_changes:
        yield Mark(changed.step, "setting", f"step {changed.step:,}: {changed.key} set to {value_text(changed.value)}")
    for step, layer, head in history.probes.alignment.first_finds(history.last_step):
        yield Mark(step, "aligned", f"step {step:,}: layer {layer + 1} head {head + 1} found the alignment")
    for notice in history.notices.all():
        yield Mark(notice.step, "noticed", f"step {notice.step:,}: noticed {notice.rule.title}")


def value_text(value: object) -> str:
    """A setting's value as written beside curves: whole numbers with commas, null where it is switched off."""
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else format_value(value)
