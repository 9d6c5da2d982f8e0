"""A checkpoint's folder: model.safetensors, optimizer.safetensors and state.json, there together or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from core.run_files.atomic import OLD, old_name, whole_folder, write_whole
from core.run_files.by_step import CHECKPOINTS, step_path, steps_in
from core.run_files.checked_lines import checked_line, read_whole_lines
from core.run_files.documents import damaged
from core.run_files.tensors import read_tensors, tensor_bytes

MODEL, OPTIMIZER, STATE = "model.safetensors", "optimizer.safetensors", "state.json"
_FILES = (MODEL, OPTIMIZER, STATE)


@dataclass(frozen=True, kw_only=True, eq=False)
class Checkpoint:
    """Everything that an exact resume needs; `state` is plain JSON."""

    step: int
    model: Mapping[str, NDArray[Any]]
    optimizer: Mapping[str, NDArray[Any]]
    state: Mapping[str, Any]


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write the folder `path`, in place of an earlier one."""
    with whole_folder(path) as folder:
        write_whole(folder / MODEL, tensor_bytes(checkpoint.model, {"step": checkpoint.step}))
        write_whole(folder / OPTIMIZER, tensor_bytes(checkpoint.optimizer, {"step": checkpoint.step}))
        write_whole(folder / STATE, checked_line(checkpoint.state))


def complete_checkpoints(run: Path) -> list[int]:
    """Steps with a checkpoint that has all its files, ascending.

    A folder is published by its name, so only a person can have removed one.
    """
    steps = sorted({*steps_in(run, CHECKPOINTS), *steps_in(run, CHECKPOINTS, OLD)})
    return [step for step in steps if all((checkpoint_path(run, step) / name).is_file() for name in _FILES)]


def checkpoint_path(run: Path, step: int) -> Path:
    """Where its files are: between the two renames of an exchange, only under the old one's name."""
    path = step_path(run, CHECKPOINTS, step)
    return path if path.exists() else old_name(path)


def read_checkpoint(path: Path, step: int) -> Checkpoint:
    """Read it again. Raises UserError that names a damaged file."""
    records = read_whole_lines(path / STATE)
    if not records:
        raise damaged(path / STATE, "it is empty")
    model, optimizer = read_checkpoint_weights(path), read_tensors(path / OPTIMIZER)[0]
    return Checkpoint(step=step, model=model, optimizer=optimizer, state=records[0])


def read_checkpoint_weights(path: Path) -> dict[str, NDArray[Any]]:
    """Only the weights."""
    return read_tensors(path / MODEL)[0]
