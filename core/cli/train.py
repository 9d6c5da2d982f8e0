"""`train`: trains a new run from a preset or a file, or resumes one."""

from __future__ import annotations

import signal
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from core.at_path import real_path
from core.cli.engine_client import EngineClient
from core.cli.error_location import with_location
from core.cli.named_run import named_run, runs_dir_of
from core.cli.open_run import parse_settings
from core.cli.output import event_record, print_json
from core.cli.resume_advice import remaining_seeds_note, stopped_message
from core.cli.seeds import new_group_name, parse_seeds, print_spread, require_same_data
from core.cli.streams import ResultPrinter
from core.cli.terminal_progress import TerminalProgress
from core.config import config_from_document
from core.errors import RunNotWritable, UserError
from core.events import GOOD_ENDS, Event, Prepared, RunFinished
from core.machine.garbage_collection import gc_frozen_afterwards
from core.machine.signals import Interrupted
from core.requests import OpenRun, Prepare, Request, Start
from core.run_files.runs_dir import require_empty, require_outside_runs
from core.run_files.write_errors import reporting_write_errors, require_no_file_in_the_way
from core.run_folder import RunFolder
from core.settings.fields import run_settings, setting_effect
from core.settings.overriding import override, parse_override
from core.settings.presets import preset_or_file
from core.torchrun import (
    ignore_end_by_torchrun,
    is_leader,
    report_to_torchrun,
    require_one_process,
    silence_torch,
)
from core.user_input.strict_yaml import Document
from core.validation_size import ValidationSize

if TYPE_CHECKING:
    from core.exporting.tensorboard_events import TensorBoardEvents

DONE, STOPPED_ITSELF = 0, 3


def train(arguments: Namespace) -> int:
    """Train, show the progress, and print how the run ended; returns the exit code."""
    silence_torch()
    if not is_leader():
        with gc_frozen_afterwards():
            from core.training.follower import follow  # imports torch, into this thread

        return DONE if follow(arguments.plugins_dir) else STOPPED_ITSELF
    _require_valid_arguments(arguments)
    results = ResultPrinter()
    if arguments.resume is not None:
        code = _resume(arguments, results)
    elif arguments.seeds is None:
        code = _train_run(*_new_run(preset_or_file(arguments.config), arguments), arguments, results).code
    else:
        code = _train_with_seeds(parse_seeds(arguments.seeds), arguments, results)
    if arguments.json and code == DONE:  # programs need the events; losing output for people is no failure
        results.require_written("The training has finished, and is saved.")
    return code


def _resume(arguments: Namespace, results: ResultPrinter) -> int:
    try:
        return _train_run(_resumed_run(arguments), None, arguments, results).code
    except RunNotWritable as error:  # what is advised for a new run (--runs-dir, a smaller model) changes nothing here
        raise UserError(error.sentence, "Fix that, or copy the run to another place and resume it there.") from None


def _train_with_seeds(seeds: Sequence[int], arguments: Namespace, results: ResultPrinter) -> int:
    """Train one run after the other, then print mean and deviation of the metrics of those that finished.

    The settings are read once: a pipe gives them only once, and a file may be edited while the first seeds train.
    """
    document = preset_or_file(arguments.config)
    group = new_group_name(config_from_document(override(document, tuple(arguments.set))).name)
    first: Prepared | None = None
    runs, code = list[RunFinished](), DONE
    for seed in seeds:
        try:
            new_run = _new_run(document, arguments, f"seed={seed}", group=group)
            trained = _train_run(*new_run, arguments, results, first)
            if trained.signal is not None and seed != seeds[-1]:  # it came too late to stop this run
                raise Interrupted(trained.signal, f"ended by {trained.signal.name} after seed {seed}")
        except Interrupted as interrupted:
            raise Interrupted(
                interrupted.number, f"{interrupted}{remaining_seeds_note(seeds, group, arguments)}"
            ) from None
        except UserError as error:
            if seed == seeds[0]:  # the same command can be given again
                raise
            located, remaining = with_location(error, arguments), remaining_seeds_note(seeds, group, arguments)
            advice = f"{located.advice.removesuffix('.')}{remaining}.".strip() if remaining else located.advice
            raise UserError(located.sentence, advice) from error
        first = first or trained.prepared
        if trained.code == DONE:
            runs.append(trained.finished)
        else:
            code = trained.code
    if first is not None and len(runs) > 1:  # one has no deviation
        with results.printing():
            print_spread(group, runs, ValidationSize(first.num_pairs["valid"] or 0), json=arguments.json)
    return code


class _TrainedRun(NamedTuple):
    """A run that has ended, and the signal that asked the process to end meanwhile, if one did."""

    code: int
    prepared: Prepared
    finished: RunFinished
    signal: signal.Signals | None


def _train_run(
    request: Request[Prepared],
    start: Start | None,
    arguments: Namespace,
    results: ResultPrinter,
    first: Prepared | None = None,
) -> _TrainedRun:
    """Train one run, requiring the same data as `first`, if given. Raises Interrupted on a signal."""
    printer = _EventPrinter(results if arguments.json else None, tensorboard=arguments.tensorboard)
    try:
        with EngineClient(printer, arguments.plugins_dir) as client:
            prepared = client.ask(request)
            if first is not None:
                require_same_data(first, prepared)
            finished = client.learn(start)
    finally:
        printer.close()
    if finished.reason in ("memory", "process"):  # another has failed, perhaps since it waited for this one in vain
        ignore_end_by_torchrun()
    if not arguments.json:
        with results.printing():
            _print_result(finished)
    if client.signal is not None and finished.reason == "stopped":  # it may have come after the end
        raise Interrupted(client.signal, stopped_message(finished, client.signal.name, arguments))
    if finished.reason in GOOD_ENDS:
        return _TrainedRun(DONE, prepared, finished, client.signal)
    sentence = f"headlight: {stopped_message(finished, finished.reason, arguments)}"
    report_to_torchrun(sentence)
    print(sentence, file=sys.stderr)
    return _TrainedRun(STOPPED_ITSELF, prepared, finished, client.signal)


def _require_valid_arguments(arguments: Namespace) -> None:
    if arguments.config is not None and not arguments.config.strip():  # an empty shell variable
        raise UserError(
            "train: expected a preset or a YAML file, given an empty text.", "`presets list` shows the presets."
        )
    if arguments.config is not None and arguments.resume is not None:
        raise UserError(
            f"train: {arguments.config} begins a run, and --resume continues one, with its own settings.",
            "Leave one of them out.",
        )
    if arguments.config is None and arguments.resume is None:
        raise UserError(
            "train: expected a preset or a YAML file, or --resume RUN.", "`presets list` shows the presets."
        )
    if arguments.tensorboard is not None:
        _require_place_for_curves(arguments.tensorboard, arguments)
    if arguments.resume is not None and arguments.run_dir is not None:
        raise UserError("--run-dir names a new run's folder; a resumed run stays where it is.")
    if arguments.seeds is not None:
        _require_valid_seed_arguments(arguments)
    if arguments.resume is None:
        _require_valid_place(arguments)


def _require_place_for_curves(tensorboard: Path, arguments: Namespace) -> None:
    """Raise UserError if event files, which go into a folder named after the run, would get into a run's folder."""
    require_outside_runs(tensorboard / "events")
    new_run = arguments.run_dir or runs_dir_of(arguments) / "run"
    run = new_run if arguments.resume is None else named_run(arguments.resume, arguments)
    if real_path(run).parent == real_path(tensorboard):
        raise UserError(
            f"--tensorboard {tensorboard}: the run's folder lies there, and event files would be written into it.",
            "Name another folder.",
        )


def _require_valid_place(arguments: Namespace) -> None:
    """Raise UserError for a place where no run can begin: now, not once the data are prepared."""
    run_dir: Path | None = arguments.run_dir
    place, option = (run_dir, "--run-dir") if run_dir is not None else (runs_dir_of(arguments), "--runs-dir")
    require_outside_runs(run_dir or place / "run")
    with reporting_write_errors(place, option):
        require_no_file_in_the_way(place)
        if run_dir is not None:
            require_empty(run_dir)


def _require_valid_seed_arguments(arguments: Namespace) -> None:
    if arguments.resume is not None or arguments.run_dir is not None:
        raise UserError("--seeds begins several new runs: it cannot be combined with --resume or --run-dir.")
    if any(key == "seed" for key, _ in map(parse_override, arguments.set)):
        raise UserError(
            "--seeds gives each run its seed: it cannot be combined with --set seed.", "Leave one of them out."
        )
    require_one_process("--seeds", "Start torchrun once for each seed, with --set seed=0 and so on.")


def _new_run(
    document: Document, arguments: Namespace, *overrides: str, group: str | None = None
) -> tuple[Prepare, Start]:
    # For the locations of errors.
    arguments.document = override(document, (*arguments.set, *overrides))
    start = Start(runs_dir=runs_dir_of(arguments), run_dir=arguments.run_dir, group=group)
    return Prepare(config=config_from_document(arguments.document)), start


def _resumed_run(arguments: Namespace) -> OpenRun:
    run = named_run(arguments.resume, arguments)
    changes, options = parse_settings(arguments.set)
    for key, _ in changes:
        if key in run_settings() and setting_effect(key) != "now":  # the engine refuses unknown keys
            raise UserError(f"--set {key}: this cannot change within a run.", "Train a new run with it.")
    RunFolder.open(run).require_no_writer()  # refused now, not once the data are prepared
    return OpenRun(run=run, changes=changes, dataset_options=options, purpose="resume")


class _EventPrinter:
    """Shows progress on standard error and, with --json, every event on standard output; the run needs neither."""

    def __init__(self, results: ResultPrinter | None, *, tensorboard: Path | None) -> None:
        self._progress = TerminalProgress()
        self._results = results
        self._tensorboard = _tensorboard_events(tensorboard) if tensorboard is not None else None

    def __call__(self, event: Event) -> None:
        self._progress(event)
        if self._results is not None:
            with self._results.printing():
                print_json(event_record(event))
        if self._tensorboard is not None:
            self._tensorboard(event)

    def close(self) -> None:
        self._progress.close()
        if self._tensorboard is not None:
            self._tensorboard.close()


def _tensorboard_events(folder: Path) -> TensorBoardEvents:
    from core.exporting.tensorboard_events import TensorBoardEvents  # needs an extra

    return TensorBoardEvents(folder)


def _print_result(finished: RunFinished) -> None:
    print(f"run {finished.run}")
    print(f"reason {finished.reason}")
    print(f"step {finished.step}")
    for name, value in finished.metrics.items():
        print(f"{name} {value:.6g}")
