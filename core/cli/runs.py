"""`runs list|show|delete`: the runs in the runs folder, without torch."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from signal import Signals

from core.at_path import exists, is_dir, real_path
from core.cli.named_run import named_run, runs_dir_of
from core.cli.one_line import one_line
from core.cli.output import print_json, print_lines
from core.config import config_to_yaml
from core.errors import UserError
from core.events import GOOD_ENDS
from core.machine.signals import Interrupted, handling_signals
from core.run_files.foreign_files import require_only_run_files
from core.run_files.hidden_folders import delete_run
from core.run_files.runs_dir import list_closed_folders
from core.run_files.state import writer_of
from core.run_folder import RunFolder, default_runs_dir, find_run, list_runs
from core.runs.run_summary import summarise, unreadable_state
from core.user_input.quoting import format_value

_FIELDS = (
    *("run", "name", "note", "group", "parent", "parent_step", "is_shared", "state", "reason", "last_step"),
    *("best_step", "best_metric", "best_value"),
)


def list_all(arguments: Namespace) -> int:
    """Print a line for each run: name, state, last step, why it broke off, best value, group of seeds, and the run that
    it continues.
    """
    _require_folder(arguments.runs_dir)
    runs_dir = real_path(runs_dir_of(arguments))  # links among the runs keep their own names
    runs = sorted([*list_runs(runs_dir), *list_closed_folders(runs_dir)])
    width = max((len(path.name) for path in runs), default=0)
    for path in runs:
        try:
            record = _record(RunFolder.open(path))
        except UserError as error:  # an unreadable run must not hide the others
            record = {"run": str(path), "state": unreadable_state(error), "error": str(error)}
        if arguments.json:
            print_json(record)
        elif "error" in record:
            print(one_line(f"{path.name:{width}}  {record['state']}: {record['error']}"))
        else:
            state = f"{record['state']:11}  step {record['last_step']:<7}"
            print(one_line("  ".join((f"{path.name:{width}}", state, *_optional_columns(record))).rstrip()))
    return 0


def show(arguments: Namespace) -> int:
    """Print a run's state, its newest metrics, the settings it began with, and those that were changed since."""
    run = RunFolder.open(named_run(arguments.run, arguments))
    record = _record(run)
    validations = run.validation_metrics()
    metrics = validations[max(validations)] if validations else {}
    changed = run.settings_changed()
    if arguments.json:
        changes = [vars(one) for one in changed]
        print_json(record | {"metrics": metrics, "config": run.config(), "settings_changed": changes})
        return 0
    print_lines(record | metrics)
    print(f"\n{config_to_yaml(run.config())}", end="")
    for one in changed:
        print(one_line(f"# after step {one.step:,}: {one.key} = {format_value(one.value)}"))
    return 0


def delete(arguments: Namespace) -> int:
    """Delete runs, only if all of them are runs, hold nothing else, and are not being written.

    Of a link to a run elsewhere, only the link is deleted: the run may be another user's.
    """
    runs_dir = runs_dir_of(arguments)
    found = [find_run(text, runs_dir, or_remains=True) for text in arguments.runs]
    named = {_location(path): path for path in found}  # a run that is named twice is deleted once
    for location, path in named.items():
        if writer := writer_of(path):
            raise UserError(
                f"{path} is being written by {writer}; nothing was deleted.",
                "End that process first. Where it writes the run that this is a copy of, remove the folder itself.",
            )
        if not location.is_symlink():
            require_only_run_files(path)
    remaining, signals = list(named.items()), list[Signals]()
    with handling_signals(signals.append):  # the run that is being deleted is deleted completely
        while remaining and not signals:
            _delete(*remaining.pop(0), json=arguments.json)
    if signals:
        names = ", ".join(str(path) for _, path in remaining)
        what = f"not deleted: {names}" if names else "all were deleted"
        raise Interrupted(signals[0], f"ended by {signals[0].name}; {what}.")
    return 0


def _location(path: Path) -> Path:
    """The run's resolved path; of a link, the path of the link itself."""
    return path.parent.resolve() / path.name if path.is_symlink() else path.resolve()


def _delete(location: Path, path: Path, *, json: bool) -> None:
    target = location.resolve() if location.is_symlink() and exists(location) else None
    try:
        delete_run(location)
    except OSError as error:
        what = "could not be deleted" if exists(location) else "is no longer a run, but could not be deleted completely"
        raise UserError(
            f"{path} {what} ({error.strerror}: {error.filename}).", "Fix that, and delete it again."
        ) from error
    if json:
        print_json({"deleted": path, "stays": target})
    else:
        print(f"deleted {path}" + (f", a link; the run stays in {target}" if target is not None else ""))


def _require_folder(named: Path | None) -> None:
    """Raise UserError if --runs-dir is not a folder. The default folder may be missing: the first run makes it."""
    location, where = (named, "--runs-dir") if named is not None else (default_runs_dir(), "HEADLIGHT_RUNS_DIR")
    if not is_dir(location) and (named is not None or exists(location)):
        what = "this is a file" if exists(location) else "there is no such folder"
        raise UserError(f"{where} {location}: {what}.", "Name the folder that the runs lie in, or leave it out.")


def _record(run: RunFolder) -> dict[str, object]:
    summary = summarise(run)
    record = {name: getattr(summary, name) for name in _FIELDS}
    return record | {"created": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(summary.created))}


def _optional_columns(record: dict[str, object]) -> Iterator[str]:
    """The columns that only some runs have."""
    if record["reason"] not in (None, "stopped", *GOOD_ENDS):
        yield f"reason {record['reason']}"
    if record["best_value"] is not None:
        yield f"best {record['best_metric']} {record['best_value']:.4g} at step {record['best_step']}"
    if record["group"] is not None:
        yield f"group {record['group']}"
    if record["parent"] is not None:
        yield f"continues {record['parent']} from step {record['parent_step']}"
