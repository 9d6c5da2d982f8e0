"""Moves the current run to another folder, when its own cannot be written, with all that can still be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from core.events import Event, Trouble
from core.requests import Start
from core.run_files.copying import files_to_copy, size_of
from core.run_files.documents import DamagedFile
from core.run_files.file_names import LOG, METRICS
from core.run_files.runs_dir import require_disk_space
from core.run_folder import RunFolder
from core.serving.new_folder import create_run_folder, removed_on_failure, required_bytes
from core.training.trainer import Trainer


def copy_to_new_folder(
    old: RunFolder, runs_dir: Path, trainer: Trainer, picked: str, emit: Callable[[Event], None]
) -> RunFolder:
    """The same run in a new folder: its documents, and all else that can still be read. Reports how much cannot."""
    files = [] if old.is_replaced() else files_to_copy(old.path)
    require_disk_space(runs_dir, required_bytes(trainer) + size_of(files))
    folder = create_run_folder(Start(runs_dir=runs_dir), trainer, picked)
    with removed_on_failure(folder):  # the old folder is not changed
        unreadable = _copy_files(folder, old, files)
        trainer.truncate_run(folder)
    if unreadable:
        emit(_unreadable_note(unreadable, old, folder))
    return folder


def _copy_files(folder: RunFolder, old: RunFolder, files: Sequence[Path]) -> list[str]:
    """Copy these files from the old folder.

    Returns a sentence for each file that cannot be read, and writes it to log.txt.
    """
    unreadable, copied = list[str](), set[str]()
    for path in files:
        try:
            folder.copy_file(path, old)
            copied.add(path.name)
        except DamagedFile as error:
            unreadable.append(error.sentence)
    for sentence in unreadable:  # last: log.txt is one of the files
        folder.log(sentence)
    known = old.state
    folder.update(
        created=known.created, parent=known.parent, parent_step=known.parent_step, began_with=known.began_with,
        group=known.group, last_step=known.last_step, best_step=known.best_step, best_value=known.best_value,
        best_metric=known.best_metric, metrics_size=known.metrics_size if METRICS in copied else 0,
    )  # fmt: skip
    return unreadable


def _unreadable_note(unreadable: Sequence[str], old: RunFolder, folder: RunFolder) -> Trouble:
    return Trouble(
        sentence=f"The run went on without what could not be read in {old.path} (files: {len(unreadable)}).",
        advice=f"{folder.path / LOG} names it.",
        is_note=True,
    )
