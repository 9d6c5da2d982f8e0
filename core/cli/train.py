"""`train`: trains a new run from a preset or a file, or resumes one."""

from __future__ import annotations

import signal
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from core.cli.conversation import Conversation
from core.cli.files import require_outside_runs
from core.cli.going_on import saved, still_to_do
from core.cli.named_run import named_run, runs_dir_of
from core.cli.opening import read_settings
from core.cli.output import event_record, print_json
from core.cli.seeds import new_group, print_spread, read_seeds, require_same_data
from core.cli.streams import ResultsOnTheWay
from core.cli.terminal import TerminalProgress
from core.cli.where_set import with_place
from core.config import config_from_document
from core.errors import RunNotWritable, UserError
from core.events import GOOD_ENDS, Event, Prepared, RunFinished
from core.machine.garbage import imported_for_good
from core.machine.signals import Interrupted
from core.requests import OpenRun, Prepare, Request, Start
from core.settings.fields import run_settings, setting_effect
from core.settings.overriding import override, read_override
from core.settings.presets import preset_or_file, read_preset_or_file
from core.torchrun import is_leader, require_one_process, silence_torch, tell_torchrun
from core.validation_size import ValidationSize

if TYPE_CHECKING:
    from core.exporting.tensorboard_events import TensorBoardEvents

DONE, STOPPED_ITSELF = 0, 3


def train(arguments: Namespace) -> int:
    """Train, show the progress, and print how the run ended; returns the exit code."""
    silence_torch()
    if not is_leader():
        with imported_for_good():
            from core.training.follower import follow  # imports torch, into this thread

        return DONE if follow(arguments.plugins_dir) else STOPPED_ITSELF
    _check(arguments)
    results = ResultsOnTheWay()
    if arguments.resume is not None:
        code = _go_on_there(arguments, results)
    elif arguments.seeds is None:
        code = _train(*_new_run(arguments), arguments, results).code
    else:
        code = _train_with_seeds(read_seeds(arguments.seeds), arguments, results)
    if arguments.json and code == DONE:  # programs need the events; losing output for people is no failure
        results.require_written("The training has finished, and is saved.")
    return code


def _go_on_there(arguments: Namespace, results: ResultsOnTheWay) -> int:
    try:
        return _train(_resumed_run(arguments), None, arguments, results).code
    except RunNotWritable as error:  # what is advised for a new run (--runs-dir, a smaller model) changes nothing here
        raise UserError(error.sentence, "Fix that, or copy the run to another place and resume it there.") from None


def _train_with_seeds(seeds: Sequence[int], arguments: Namespace, results: ResultsOnTheWay) -> int:
    """Train one run after the other, then print mean and deviation of the metrics of those that finished."""
    group = new_group(read_preset_or_file(arguments.config, tuple(arguments.set)).name)
    first: Prepared | None = None
    runs, code = list[RunFinished](), DONE
    for seed in seeds:
        try:
            trained = _train(*_new_run(arguments, f"seed={seed}", group=group), arguments, results, first)
            if trained.signal is not None and seed != seeds[-1]:  # it came too late to stop this run
                raise Interrupted(trained.signal, f"ended by {trained.signal.name} after seed {seed}")
        except Interrupted as interrupted:
            raise Interrupted(interrupted.number, f"{interrupted}{still_to_do(seeds, group, arguments)}") from None
        except UserError as error:
            if seed == seeds[0]:  # the same command can be given again
                raise
            placed, left = with_place(error, arguments), still_to_do(seeds, group, arguments)
            advice = f"{placed.advice.removesuffix('.')}{left}.".strip() if left else placed.advice
            raise UserError(placed.sentence, advice) from error
        first = first or trained.prepared
        if trained.code == DONE:
            runs.append(trained.finished)
        else:
            code = trained.code
    if first is not None and len(runs) > 1:  # one has no deviation
        with results.printing():
            print_spread(group, runs, ValidationSize(first.num_pairs["valid"] or 0), json=arguments.json)
    return code


class _Trained(NamedTuple):
    """A run that has ended, and the signal that asked the process to end meanwhile, if one did."""

    code: int
    prepared: Prepared
    finished: RunFinished
    signal: signal.Signals | None


def _train(
    opening: Request[Prepared],
    start: Start | None,
    arguments: Namespace,
    results: ResultsOnTheWay,
    first: Prepared | None = None,
) -> _Trained:
    """Train one run, requiring the same data as `first`, if given. Raises Interrupted on a signal."""
    show = _Show(results if arguments.json else None, tensorboard=arguments.tensorboard)
    try:
        with Conversation(show, arguments.plugins_dir) as engine:
            prepared = engine.ask(opening)
            if first is not None:
                require_same_data(first, prepared)
            if start is not None:
                engine.ask(start)
            finished = engine.learn()
    finally:
        show.close()
    if finished.reason == "process":  # torchrun ends the others; first say what was saved
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if not arguments.json:
        with results.printing():
            _print_result(finished)
    if engine.signal is not None and finished.reason == "stopped":  # it may have come after the end
        raise Interrupted(engine.signal, saved(finished, engine.signal.name, arguments))
    if finished.reason in GOOD_ENDS:
        return _Trained(DONE, prepared, finished, engine.signal)
    sentence = f"headlight: {saved(finished, finished.reason, arguments)}"
    tell_torchrun(sentence)
    print(sentence, file=sys.stderr)
    return _Trained(STOPPED_ITSELF, prepared, finished, engine.signal)


def _check(arguments: Namespace) -> None:
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
        require_outside_runs(arguments.tensorboard / "events")
    if arguments.resume is not None and arguments.run_dir is not None:
        raise UserError("--run-dir names a new run's folder; a resumed run stays where it is.")
    if arguments.seeds is not None:
        _check_seeds(arguments)


def _check_seeds(arguments: Namespace) -> None:
    if arguments.resume is not None or arguments.run_dir is not None:
        raise UserError("--seeds begins several new runs: it cannot be combined with --resume or --run-dir.")
    if any(key == "seed" for key, _ in map(read_override, arguments.set)):
        raise UserError(
            "--seeds gives each run its seed: it cannot be combined with --set seed.", "Leave one of them out."
        )
    require_one_process("--seeds", "Start torchrun once for each seed, with --set seed=0 and so on.")


def _new_run(arguments: Namespace, *overrides: str, group: str | None = None) -> tuple[Prepare, Start]:
    arguments.written = override(preset_or_file(arguments.config), (*arguments.set, *overrides))  # for errors' places
    start = Start(runs_dir=runs_dir_of(arguments), run_dir=arguments.run_dir, group=group)
    return Prepare(config=config_from_document(arguments.written)), start


def _resumed_run(arguments: Namespace) -> OpenRun:
    run = named_run(arguments.resume, arguments)
    changes, options = read_settings(arguments.set)
    for key, _ in changes:
        if key in run_settings() and setting_effect(key) != "now":  # the engine refuses unknown keys
            raise UserError(f"--set {key}: this cannot change within a run.", "Train a new run with it.")
    return OpenRun(run=run, changes=changes, dataset_options=options, purpose="resume")


class _Show:
    """Shows progress on standard error and, with --json, every event on standard output; the run needs neither."""

    def __init__(self, results: ResultsOnTheWay | None, *, tensorboard: Path | None) -> None:
        self._progress = TerminalProgress()
        self._results = results
        self._board = _board(tensorboard) if tensorboard is not None else None

    def __call__(self, event: Event) -> None:
        self._progress(event)
        if self._results is not None:
            with self._results.printing():
                print_json(event_record(event))
        if self._board is not None:
            self._board(event)

    def close(self) -> None:
        self._progress.close()
        if self._board is not None:
            self._board.close()


def _board(folder: Path) -> TensorBoardEvents:
    from core.exporting.tensorboard_events import TensorBoardEvents  # needs an extra

    return TensorBoardEvents(folder)


def _print_result(finished: RunFinished) -> None:
    print(f"run {finished.run}")
    print(f"reason {finished.reason}")
    print(f"step {finished.step}")
    for name, value in finished.metrics.items():
        print(f"{name} {value:.6g}")
