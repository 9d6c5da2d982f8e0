"""Where runs differ in their settings, and what became of it: for the terminal and the window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.comparison.differences import differing_settings
from core.comparison.spread import spread
from core.run_folder import RunFolder


def records_of(runs: Sequence[RunFolder]) -> list[dict[str, object]]:
    """A record a run and two a group, all with the same names."""
    settings = differing_settings([run.config() for run in runs])
    figures = [_best_figures(run) for run in runs]
    names = sorted({name for one in figures for name in one})
    groups = any(run.state.group for run in runs)
    records = [
        {"run": run.path.name}
        | ({"group": run.state.group} if groups else {})
        | {"state": run.state.state, "last_step": run.state.last_step, "best_step": run.state.best_step}
        | {key: values[place] for key, values in settings.items()}
        | {name: figures[place].get(name) for name in names}
        for place, run in enumerate(runs)
    ]
    return [*records, *(dict.fromkeys(records[0]) | spread for spread in _spreads(runs, figures))]


def _spreads(runs: Sequence[RunFolder], figures: Sequence[dict[str, float]]) -> Iterator[dict[str, object]]:
    """Mean and standard deviation of each group's figures, where two of its runs are there."""
    for group in dict.fromkeys(run.state.group for run in runs if run.state.group):
        members = [figures[place] for place, run in enumerate(runs) if run.state.group == group]
        if len(members) > 1:
            mean, deviation = spread(members)
            yield {"run": f"mean of {len(members)}", "group": group, **mean}
            yield {"run": "standard deviation", "group": group, **deviation}


def _best_figures(run: RunFolder) -> dict[str, float]:
    validations = run.validation_metrics()
    return validations.get(run.state.best_step or max(validations, default=0), {})


def said(value: object) -> str:
    """A value of a record as people read it."""
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
