"""Moves runs to the trash of the desktop, from which they can be restored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QFile

from core.at_path import exists
from core.errors import UserError
from core.run_files.state import writer_of
from core.run_folder import RunFolder, RunLabel


@dataclass(frozen=True)
class TrashResult:
    """Which runs are in the trash now, and why the others are not: one is being written, say, or has no trash."""

    moved: tuple[Path, ...]
    refused: tuple[UserError, ...]


def move_to_trash(runs: Iterable[Path]) -> TrashResult:
    """Move the folders of these runs to the trash, all that can be moved."""
    moved, refused = list[Path](), list[UserError]()
    for run in runs:
        try:
            _move_to_trash(run)
        except UserError as error:
            refused.append(error)
        else:
            moved.append(run)
    return TrashResult(tuple(moved), tuple(refused))


def trash_replaced_branch(run: Path) -> None:
    """Move a branch that another one has replaced to the trash, unless it has taken a step meanwhile."""
    if RunFolder.open(run).is_untrained_branch():
        _move_to_trash(run)


def trash_stepless_run(run: Path) -> None:
    """Move a run or branch that was left before its first step to the trash.

    It stays if it has taken a step, has ended by itself, or was given a name or a note.
    """
    folder = RunFolder.open(run)
    began_at = folder.state.parent_step or 0
    if folder.state.reason == "stopped" and folder.reached_step() <= began_at and folder.label() == RunLabel():
        _move_to_trash(run)


def _move_to_trash(run: Path) -> None:
    if writer := writer_of(run):
        raise UserError(
            f"{run} is being written by {writer}.",
            "End that process first. Where it is long gone, or writes the run that this is a copy of, delete the lines "
            "pid and checksum in run.json.",
        )
    if not exists(run):
        raise UserError(f"{run} is no longer there.", "It was deleted or moved meanwhile.")
    if not QFile(str(run)).moveToTrash():
        raise UserError(
            f"{run} could not be moved to the trash.",
            "`headlight runs delete` deletes it permanently, without the trash.",
        )
