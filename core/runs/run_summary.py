"""Summarises a run in figures, for the terminal's list and the window's table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from core.file_format import NewerFormat
from core.run_folder import RunFolder


@dataclass(frozen=True, kw_only=True)
class RunSummary:
    """One run at the moment it was read."""

    run: Path
    name: str  # given by a person, or the one in its settings
    seed: int
    note: str
    is_shared: bool  # received in one file
    state: str  # a state of run.json, or "interrupted" if that says it is training but its process is gone
    reason: str | None  # a FinishReason, once the run has ended
    writer: str | None  # the other, live process that writes the run, in words
    group: str | None  # shared with runs that differ only in their seed
    parent: str | None  # the run that it continues, from `parent_step` on
    parent_step: int | None
    last_step: int
    best_step: int | None
    best_metric: str
    best_value: float | None
    created: float  # seconds since the epoch


def summarise(run: RunFolder) -> RunSummary:
    """Summarise run.json, config.yaml and label.json. Raises UserError if one is damaged."""
    state, config, label = run.state, run.config(), run.label()
    return RunSummary(
        run=run.path,
        name=label.name or config.name,
        seed=config.seed,
        note=label.note,
        state=current_state(run),
        reason=state.reason,
        writer=state.writer(),
        is_shared=state.is_shared,
        group=state.group,
        parent=state.parent,
        parent_step=state.parent_step,
        last_step=state.last_step,
        best_step=state.best_step,
        best_metric=state.best_metric or _metric_of(run, state.best_step),
        best_value=state.best_value,
        created=state.created,
    )


def unreadable_state(error: Exception) -> str:
    """What stands in its place for a run that reading gave this error of: "newer" (than this version) or "damaged"."""
    return "newer" if isinstance(error, NewerFormat) else "damaged"


def current_state(run: RunFolder) -> str:
    """A state of run.json, or "interrupted"."""
    state = run.state
    cut_off = state.state in ("new", "learning", "paused") and state.writer() is None and not run.is_ours()
    return "interrupted" if cut_off else state.state


def _metric_of(run: RunFolder, best_step: int | None) -> str:
    """The metric by which an older version, whose run.json does not name it, found the best step.

    This searches metrics.jsonl for changed settings (15 ms for 100,000 steps), so it is used for such runs only.
    """
    config = run.config() if best_step is None else run.config_at(best_step)
    return config.training.best_metric


def best_value(validations: dict[int, dict[str, float]], metric: str, *, smallest: bool) -> float | None:
    """The best value of a metric in any validation; None if no validation gave a finite one."""
    values = [metrics[metric] for metrics in validations.values() if math.isfinite(metrics.get(metric, math.nan))]
    return (min if smallest else max)(values, default=None)
