"""What a run begins with: a folder with its documents; and, where it is opened again, its data."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Generator
from pathlib import Path

from core.data.preparation import prepare_data
from core.data.prepared_data import PreparedData
from core.environment import environment
from core.errors import NotWritten, UserError
from core.events import Event, Trouble
from core.plugins_host.host import PluginHost
from core.requests import Start
from core.run_files.copying import files_to_copy
from core.run_files.documents import DamagedFile
from core.run_files.places import require_room
from core.run_folder import RunFolder, refusing_to_write
from core.training.trainer import Trainer

NUM_CHECKPOINTS = 3


def new_folder(request: Start, trainer: Trainer) -> RunFolder:
    """A folder for the run that stands ready, its documents written. Raises UserError where it cannot be written."""
    name = trainer.config.name
    require_room(request.run_dir or request.runs_dir, room_for(trainer))
    folder = RunFolder.create_at(request.run_dir) if request.run_dir else RunFolder.create(request.runs_dir, name)
    with refusing_to_write(folder.path):
        _write_documents(folder, trainer, request.parent)
    return folder


def moved_folder(old: RunFolder, runs_dir: Path, trainer: Trainer) -> RunFolder:
    """The same run in a new folder: documents, and all else of it that can still be read."""
    require_room(runs_dir, room_for(trainer) + sum(path.stat().st_size for path in files_to_copy(old.path)))
    folder = new_folder(Start(runs_dir=runs_dir), trainer)
    try:
        with refusing_to_write(folder.path):
            folder.take_files_of(old)
            folder.cut_back_to(trainer.step)
    except NotWritten:
        shutil.rmtree(folder.path)  # the old one is as whole as before
        raise
    return folder


def room_for(trainer: Trainer) -> int:
    """Bytes a run should find free before it learns: for the last checkpoint, the best, and the one being written."""
    return NUM_CHECKPOINTS * trainer.checkpoint_bytes


def _write_documents(folder: RunFolder, trainer: Trainer, parent: str | None) -> None:
    try:
        folder.write_config(trainer.config)
        folder.write_vocabulary(trainer.data.vocabulary_document())
        folder.write_environment(environment(trainer.config, trainer.data.fingerprint))
        folder.update(parent=parent)
    except OSError:
        shutil.rmtree(folder.path)  # nothing has been learnt: better no run than half of one
        raise


def load_checkpoint(trainer: Trainer, which: str, tell: Callable[[Event], None]) -> None:
    """Load a checkpoint of the trainer's run: "best", "last" or a step.

    Where the last one is damaged, the newest whole one before it, and says so. Of the others raises DamagedFile that
    names the file and the checkpoint before.
    """
    folder = trainer.folder
    step = folder.checkpoint_step(which)
    try:
        return trainer.load_checkpoint(step)
    except DamagedFile as error:
        before = [known for known in folder.checkpoint_steps() if known < step and folder.is_whole(known)]
        if not before:
            raise
        if which != "last":
            raise DamagedFile(
                error.sentence, f"{error.advice} Or open the checkpoint before it, of step {before[-1]}."
            ) from None
        tell(
            Trouble(
                sentence=error.sentence,
                advice=f"Opened at the checkpoint before it, of step {before[-1]}; "
                "once the run goes on, what came after is learned anew.",
            )
        )
    return trainer.load_checkpoint(before[-1])


def data_of(
    folder: RunFolder, host: PluginHost, cache_dir: Path, tell: Callable[[Event], None]
) -> Generator[Event | None, None, PreparedData]:
    """The run's data prepared again; where its plugin cannot give the same, what its folder knows of it."""
    known = PreparedData.from_document(folder.vocabulary())
    try:
        data: PreparedData = yield from prepare_data(folder.config().dataset, host, cache_dir)
    except UserError as error:  # the plugin is gone or fails, or it no longer knows these options
        sentence = error.sentence
    else:
        if data.fingerprint == known.fingerprint:
            return data
        sentence = f"The dataset {known.dataset.plugin!r} gives other pairs than when this run was trained."
    tell(Trouble(sentence=sentence, advice="The run can translate; it cannot go on learning."))
    return dataclasses.replace(known, num_pairs=dict.fromkeys(known.num_pairs, 0))
