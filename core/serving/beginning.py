"""What a run begins with: a folder with its documents."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from core.machine.environment import environment
from core.requests import Start
from core.run_files.places import require_room
from core.run_files.refusing import refusing_to_write
from core.run_folder import RunFolder
from core.training.trainer import Trainer

NUM_CHECKPOINTS = 3


def new_folder(request: Start, trainer: Trainer, picked: str = "") -> RunFolder:
    """A folder for the run that stands ready, its documents written. Raises UserError where it cannot be written."""
    name = trainer.config.name
    require_room(request.run_dir or request.runs_dir, room_for(trainer))
    folder = RunFolder.create_at(request.run_dir) if request.run_dir else RunFolder.create(request.runs_dir, name)
    with filled_or_gone(folder):
        folder.write_config(trainer.initial_config)
        folder.write_vocabulary(trainer.data.vocabulary_document())
        folder.write_subword_models(trainer.data.subword_models)
        folder.write_environment(environment(trainer.config, trainer.data.fingerprint, picked))
        folder.update(parent=request.parent, parent_step=request.parent_step, group=request.group)
    return folder


@contextmanager
def filled_or_gone(folder: RunFolder) -> Iterator[None]:
    """Around filling a new run's folder: half a run is none. Raises UserError where it cannot be written."""
    try:
        with refusing_to_write(folder.path):
            yield
    except BaseException:  # a full disk, a fault of ours, or somebody wanted something else
        shutil.rmtree(folder.path, ignore_errors=True)  # somebody may have removed it
        raise


def room_for(trainer: Trainer) -> int:
    """Bytes a run should find free before it learns: for the last checkpoint, the best, and the one being written."""
    return NUM_CHECKPOINTS * trainer.checkpoint_bytes
