"""Begins a new run at a step of another, with that run's past up to there and the weights it kept.

A checkpoint holds everything, so that training continues as the other run would have. A snapshot holds the weights
alone, and some changed settings make the rest useless: then optimizer, random numbers and data order begin anew.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from pathlib import Path

from core.at_path import is_file
from core.data.prepared_data import PreparedData
from core.errors import UserError
from core.events import Event, SettingChanged
from core.faults import note
from core.plugins_host.host import PluginHost
from core.requests import Branch, Start
from core.run_files.copying import files_until, size_of
from core.run_files.file_names import LABEL
from core.run_files.runs_dir import require_disk_space
from core.run_folder import Checkpoint, RunFolder
from core.serving.new_folder import create_run_folder, removed_on_failure, required_bytes
from core.settings.branch_changes import first_incompatible, need_fresh_state, reset_changes
from core.settings.overriding import change_settings
from core.training.checkpoint import to_tensors
from core.training.resolve import resolve_on_this_machine
from core.training.trainer import Trainer


def read_starting_checkpoint(request: Branch, run: RunFolder) -> Checkpoint:
    """What the run kept at this step; if that is only weights, `optimizer` and `state` are empty.

    Raises UserError if nothing was kept there, if a change needs other weights, or if the run's curves are damaged.
    """
    run.metrics_file.read()  # raises if they are damaged, which cutting back the new run's would hide
    keys = [key for key, _ in request.changes]
    if unfit := first_incompatible(keys):
        raise UserError(
            f"{unfit} cannot change from step {request.step:,} on: the weights were trained with its present value.",
            "Restart begins an untrained run with it.",
        )
    if request.step in run.checkpoint_steps():
        checkpoint = run.checkpoint(request.step)
        if not need_fresh_state(keys):
            return checkpoint
        return Checkpoint(step=request.step, model=checkpoint.model, optimizer={}, state={})
    if request.step in run.snapshot_steps():
        return Checkpoint(step=request.step, model=run.read_snapshot(request.step), optimizer={}, state={})
    raise UserError(f"{run.path.name} has kept no weights at step {request.step:,}.", "Choose a step that has.")


def make_branch_trainer(
    request: Branch,
    checkpoint: Checkpoint,
    run: RunFolder,
    data: PreparedData,
    host: PluginHost,
    emit: Callable[[Event], None],
) -> Trainer:
    """A trainer at that step, with the changes that need a new run made; those that act during a run are not yet."""
    data.require_pairs()
    config = change_settings(run.config(), dict(reset_changes(request.changes)))
    trainer = Trainer(resolve_on_this_machine(config, data, emit), data, host)
    trainer.attach_folder(run)
    if checkpoint.state:
        trainer.restore(checkpoint)
    else:
        trainer.start_from(to_tensors(checkpoint.model), request.step)
        sentence = f"Optimizer, dropout and the order of the data start afresh at step {request.step:,}."
        emit(note(sentence, _restart_reason(request, run)))
    trainer.search_best_anew()
    return trainer


def make_branch_folder(request: Branch, run: RunFolder, trainer: Trainer) -> Generator[None, None, RunFolder]:
    """The new run's folder, released to be opened: the other's past, and a checkpoint of where it begins."""
    takes_over = request.replaces_branch and run.is_untrained_branch()
    past = [*files_until(run.path, request.step), *_inherited_label(run, takes_over)]
    require_disk_space(request.runs_dir, required_bytes(trainer) + size_of(past))
    parent = run.state.parent if takes_over else run.path.name
    folder = create_run_folder(Start(runs_dir=request.runs_dir, parent=parent, parent_step=request.step), trainer)
    with removed_on_failure(folder):
        for path in past:
            folder.copy_file(path, run)
            yield None
        trainer.attach_folder(folder)
        folder.update(began_with=_began_with(request, run))
        trainer.truncate_run(folder)
        trainer.save_checkpoint()
        folder.release("stopped", "stopped")
    return folder


def _began_with(request: Branch, run: RunFolder) -> tuple[SettingChanged, ...]:
    """Settings of the new run's config that its past was trained without, each with the step after which it acts.

    Those that the other run began with at a later step are moved to this one.
    """
    known = (replace(changed, step=min(changed.step, request.step)) for changed in run.state.began_with)
    own = (SettingChanged(step=request.step, key=key, value=value) for key, value in reset_changes(request.changes))
    return (*known, *own)


def _inherited_label(run: RunFolder, takes_over: bool) -> Iterator[Path]:
    """The file with the name that a person gave the run, if the new run takes it over."""
    path = run.path / LABEL
    if takes_over and is_file(path):
        yield path


def _restart_reason(request: Branch, run: RunFolder) -> str:
    if request.step not in run.checkpoint_steps():
        return "Only the weights were kept there; a checkpoint keeps everything."
    return "The changed settings need that."
