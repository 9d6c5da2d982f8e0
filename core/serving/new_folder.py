"""Creates the folder of a new run, with its documents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from core.at_path import exists
from core.requests import Start
from core.run_files.environment import environment
from core.run_files.runs_dir import require_disk_space, undo_run_dir
from core.run_files.write_errors import reporting_write_errors
from core.run_folder import RunFolder
from core.training.trainer import Trainer

NUM_CHECKPOINTS = 3


def create_run_folder(request: Start, trainer: Trainer, picked: str = "") -> RunFolder:
    """A new folder for the prepared run, its documents written. Raises UserError if it cannot be written."""
    name = trainer.config.name
    option = "--run-dir" if request.run_dir else "--runs-dir"
    require_disk_space(request.run_dir or request.runs_dir, required_bytes(trainer), option)
    was_there = request.run_dir is not None and exists(request.run_dir)
    folder = RunFolder.create_at(request.run_dir) if request.run_dir else RunFolder.create(request.runs_dir, name)
    with removed_on_failure(folder, option, was_there=was_there):
        folder.write_config(trainer.initial_config)
        folder.write_vocabulary(trainer.data.vocabulary_document())
        folder.write_subword_models(trainer.data.subword_models)
        folder.write_environment(environment(trainer.config, trainer.data.fingerprint, picked))
        folder.update(parent=request.parent, parent_step=request.parent_step, group=request.group)
    return folder


@contextmanager
def removed_on_failure(folder: RunFolder, option: str = "--runs-dir", *, was_there: bool = False) -> Iterator[None]:
    """Remove a new run's folder if filling it fails, or what is in it if it was there before.

    Raises UserError, which names the option for another place, if the folder is not writable.
    """
    try:
        with reporting_write_errors(folder.path, option):
            yield
    except BaseException:  # a full disk, a bug of ours, or the job was dropped
        undo_run_dir(folder.path, was_there=was_there)
        raise


def required_bytes(trainer: Trainer) -> int:
    """The bytes a run should find free before it trains: for its last checkpoint, its best, and one being written."""
    return NUM_CHECKPOINTS * trainer.checkpoint_bytes
