"""Opens a run again: its data, its checkpoint, and a trainer restored to what it was.

The run may come from another machine or a stranger: what cannot be read is refused before a model is built.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from pathlib import Path

from core.data.preparation import prepare_data
from core.data.prepared_data import PreparedData
from core.errors import UserError
from core.events import Event, Trouble
from core.faults import note
from core.model_size import require_same_size
from core.plugins_host.host import PluginHost
from core.requests import OpenRun, Purpose
from core.resuming import resumable_steps
from core.run_files.documents import DamagedFile
from core.run_folder import Checkpoint, RunFolder
from core.serving.changed_data import describe_difference, with_replaced_held_out
from core.serving.moved_data_files import relocation_advice
from core.serving.shadowed_plugins import replaced_plugin_advice
from core.training import trouble
from core.training.checkpoint import to_tensors
from core.training.resolve import resolve_on_this_machine
from core.training.trainer import Trainer

Emit = Callable[[Event], None]
_RELEARNED = "once the run continues, what came after is learned again."


def recorded_data(folder: RunFolder) -> PreparedData:
    """The run's data as its folder knows them: enough to look at the run, but no pairs."""
    known = PreparedData.from_document(folder.vocabulary(), folder.subword_models())
    return dataclasses.replace(known, num_pairs=dict.fromkeys(known.num_pairs, 0))


def prepare_run_data(
    folder: RunFolder,
    host: PluginHost,
    cache_dir: Path,
    emit: Emit,
    options: Mapping[str, object] | None = None,
    purpose: Purpose = "learn",
) -> Generator[Event | None, None, PreparedData]:
    """Prepare the run's data again; if its plugin cannot give the same, return what the folder knows of them.

    `options` replace the dataset's own if its corpus was moved, and must give the same pairs; to evaluate, they may
    give other held-out pairs. To resume or evaluate, raises UserError instead of returning data without pairs.
    """
    known = PreparedData.from_document(folder.vocabulary(), folder.subword_models())
    dataset = folder.config().dataset
    local_options = {**dataset.options, **options} if options else None
    try:
        data: PreparedData = yield from prepare_data(dataset, host, cache_dir, known, local_options)
    except UserError as error:  # the plugin is gone or fails, or no longer knows its options, or its files are gone
        sentence, undo_advice = error.sentence, ""
    else:
        if data.fingerprint == known.fingerprint:
            return data
        sentence, undo_advice = describe_difference(known, data), "Undo what was changed in its options, files or code."
        if purpose == "evaluate" and options:
            with suppress(UserError):  # without its own pairs, nothing says what is held out
                own = yield from prepare_run_data(folder, host, cache_dir, emit, purpose=purpose)
                if scored := with_replaced_held_out(own, data):
                    return scored
            undo_advice += " Other held-out pairs can be scored only where its own can be read too."
    where = relocation_advice(folder, host, options or {}, gives_other_pairs=bool(undo_advice))
    what_to_do = " ".join(filter(None, [replaced_plugin_advice(folder, host), undo_advice, where]))
    if purpose in ("resume", "evaluate"):
        raise UserError(sentence, what_to_do)
    advice = f"The run can translate; it cannot continue learning. {what_to_do}".strip()
    emit(Trouble(sentence=sentence, advice=advice, until_prepared=True))
    return recorded_data(folder)


def open_trainer(request: OpenRun, folder: RunFolder, data: PreparedData, host: PluginHost, emit: Emit) -> Trainer:
    """The trainer of a run at the requested checkpoint, or with the mean of the last ones."""
    checkpoint = _read_checkpoint(folder, _resumable_checkpoint(request, folder, emit), emit)
    _report_damaged_tail(folder, emit)
    config = resolve_on_this_machine(folder.config(), data, emit)
    require_same_size(folder.path, checkpoint.step, checkpoint.model, config, data)
    trainer = Trainer(config, data, host)
    trainer.attach_folder(folder)
    if folder.state.is_shared:  # it has only these weights; whether they are a mean was decided on export
        trainer.start_from(to_tensors(checkpoint.model), checkpoint.step)
        return trainer
    trainer.restore(checkpoint)
    if request.averaged and request.checkpoint == "last" and trainer.config.training.average_checkpoints:
        trainer.load_mean()
        _report_mean(folder, trainer, emit)
    return trainer


def _report_mean(folder: RunFolder, trainer: Trainer, emit: Emit) -> None:
    steps, wanted = trainer.averaged_steps, trainer.config.training.average_checkpoints
    named = f"the mean of the checkpoints of steps {', '.join(map(str, steps))}"
    what = named if len(steps) > 1 else f"those of the checkpoint of step {steps[0]}"
    of_those_wanted = f"{len(steps)} of the {wanted} that training.average_checkpoints asks for"
    emit(note(f"The weights of {folder.path.name} are {what}: {of_those_wanted}."))


def _resumable_checkpoint(request: OpenRun, folder: RunFolder, emit: Emit) -> str:
    """The requested checkpoint; to train on from the last one, the last from before the run diverged."""
    if request.checkpoint != "last" or request.purpose not in ("learn", "resume"):
        return request.checkpoint
    known, resumable = folder.checkpoint_steps(), resumable_steps(folder)
    if known == resumable:
        return request.checkpoint
    sentence = f"The run had already diverged at its last checkpoint, of step {known[-1]}."
    if resumable:
        advice = f"Opened at the last one from before, of step {resumable[-1]}; {_RELEARNED}"
    else:
        advice = f"None from before is kept: {trouble.restart_advice(folder.latest_config().training)}."
    emit(note(sentence, advice))
    return str((resumable or known[:1])[-1])


def _read_checkpoint(folder: RunFolder, which: str, emit: Emit) -> Checkpoint:
    """Read a checkpoint. If the last one is damaged, read the newest whole one before it instead, and say so.

    For any other, raises DamagedFile, which names the file and the checkpoint before it.
    """
    step = folder.checkpoint_step(which)
    if folder.state.is_shared:
        return Checkpoint(step=step, model=folder.read_snapshot(step), optimizer={}, state={})
    try:
        return folder.checkpoint(step)
    except DamagedFile as error:
        earlier = [known for known in reversed(folder.checkpoint_steps()) if known < step]
        before = next((known for known in earlier if folder.is_checkpoint_intact(known)), None)
        if before is None:
            raise
        if which != "last":
            advice = f"{error.advice} Or open the checkpoint before it, of step {before}."
            raise DamagedFile(error.sentence, advice) from None
        advice = f"Opened at the checkpoint before it, of step {before}; {_RELEARNED}"
        emit(Trouble(sentence=error.sentence, advice=advice, until_prepared=True))
    except UserError:
        if which != "last" or step in folder.checkpoint_steps():
            raise
        return _read_checkpoint(folder, which, emit)  # the process that trains the run removed it for a newer one
    return folder.checkpoint(before)


def _report_damaged_tail(folder: RunFolder, emit: Emit) -> None:
    if folder.metrics_file.has_damaged_tail():
        sentence = f"{folder.metrics_file.path}: the file is damaged after the newest checkpoint."
        advice = "A power cut may leave it like that. The curves end there; going on begins at a checkpoint."
        emit(note(sentence, advice))
