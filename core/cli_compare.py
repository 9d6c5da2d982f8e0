"""`runs compare`: where runs differ in their settings, and what became of it; without torch."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence

from core.cli_output import print_csv, print_json
from core.config_differences import differing_settings
from core.run_folder import RunFolder, default_runs_dir, find_run
from core.spread import spread


def compare(arguments: Namespace) -> int:
    """Print a column a run: its state, the settings that differ, and the figures of its best validation.

    With `--csv` or `--json` a row or an object a run, for other programs. Mean and standard deviation of each group
    (`train --seeds`) of two runs or more come last. With `--paired-bootstrap` see core.cli_paired.
    """
    if arguments.paired_bootstrap:
        from core.cli_paired import compare_paired  # evaluates, and so loads torch

        return compare_paired(arguments)
    runs_dir = arguments.runs_dir or default_runs_dir()
    runs = [RunFolder.open(find_run(text, runs_dir)) for text in arguments.runs]
    records = _records(runs)
    if arguments.json:
        for record in records:
            print_json(record)
    elif arguments.csv:
        print_csv(records)
    else:
        _print_columns(records)
    return 0


def _records(runs: Sequence[RunFolder]) -> list[dict[str, object]]:
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


def _print_columns(records: Sequence[dict[str, object]]) -> None:
    rows = [[name, *(_said(record[name]) for record in records)] for name in records[0]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _said(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
