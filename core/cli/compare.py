"""`runs compare`: the settings in which runs differ and their results, side by side; without torch."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from core.cli.comparability import warn_of_different_tokens
from core.cli.named_run import runs_dir_of
from core.cli.one_line import one_line
from core.cli.output import columns, print_records, warn
from core.comparison.records import comparison_records, format_value
from core.comparison.run_results import RunResults
from core.comparison.seeds import runs_with_other_data, seed_groups
from core.errors import UserError
from core.run_folder import RunFolder, find_run

_PAIRED_BOOTSTRAP_OPTIONS = ("split", "set", "beam_size", "length_penalty", "minimum_risk", "checkpoint", "plugins_dir")


def compare(arguments: Namespace) -> int:
    """Print a column for each run: its state, the settings that differ (for a single run: from the defaults), and the
    metrics of its best validation.

    With `--csv` or `--json`, print a row or an object for each run, for other programs. Mean and standard deviation of
    each group of runs that differ only in their seed come last. For `--paired-bootstrap`, see core.cli.compare_paired.
    """
    if arguments.paired_bootstrap:
        from core.cli.compare_paired import compare_paired  # evaluates, and so loads torch

        return compare_paired(arguments)
    if given := [name for name in _PAIRED_BOOTSTRAP_OPTIONS if _is_given(getattr(arguments, name))]:
        raise UserError(
            f"--{given[0].replace('_', '-')}: the figures compared are those of the runs' own validations.",
            "It goes with --paired-bootstrap, which evaluates two runs.",
        )
    runs = [RunResults.read(RunFolder.open(find_run(text, runs_dir_of(arguments)))) for text in arguments.runs]
    warn_of_different_tokens(
        [run.folder for run in runs], [run.target_tokens for run in runs], "say nothing side by side"
    )
    if (indices := runs_with_other_data(runs)) is not None:
        first, second = (runs[index].folder.path.name for index in indices)
        message = f"{first} and {second} were trained with the same settings"
        warn(f"{message} on different data, for the corpus was changed, and have no common mean")
    records = comparison_records(runs, seed_groups(runs))
    if arguments.json or arguments.csv:
        print_records(records, as_csv=arguments.csv)
    else:
        _print_columns(records)
    return 0


def _is_given(option: object) -> bool:
    return option is not False and option not in (None, [])  # by identity: a given length penalty of 0 equals False


def _print_columns(records: Sequence[dict[str, object]]) -> None:
    cells = ((name, *(format_value(record[name]) for record in records)) for name in records[0])
    rows = [[one_line(cell) for cell in row] for row in cells]
    print("\n".join(columns(rows)))
