"""Reads and writes a checkpoint's folder: model.safetensors, optimizer.safetensors, state.json, all or none of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from core.at_path import exists, is_file
from core.run_files.atomic import OLD_SUFFIX, atomic_folder, old_name, write_atomically
from core.run_files.checked_lines import checked_line, read_complete_lines
from core.run_files.documents import damaged
from core.run_files.step_files import CHECKPOINTS, step_path, steps_in
from core.run_files.tensors import read_tensors, tensor_bytes

MODEL, OPTIMIZER, STATE = "model.safetensors", "optimizer.safetensors", "state.json"
_FILES = (MODEL, OPTIMIZER, STATE)
_CHANGES = TypeAdapter(list[tuple[int, str, Any]])


@dataclass(frozen=True, kw_only=True, eq=False)
class Checkpoint:
    """Everything needed to resume exactly; `state` is plain JSON."""

    step: int
    model: Mapping[str, NDArray[Any]]
    optimizer: Mapping[str, NDArray[Any]]
    state: Mapping[str, Any]


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write the folder `path`, replacing an earlier one."""
    with atomic_folder(path) as folder:
        write_atomically(folder / MODEL, tensor_bytes(checkpoint.model, {"step": checkpoint.step}))
        write_atomically(folder / OPTIMIZER, tensor_bytes(checkpoint.optimizer, {"step": checkpoint.step}))
        write_atomically(folder / STATE, checked_line(checkpoint.state))


def complete_checkpoints(run: Path) -> list[int]:
    """The steps of complete checkpoints, ascending.

    A folder gets its name only when it is complete, so one that lacks a file was changed by a person.
    """
    steps = sorted({*steps_in(run, CHECKPOINTS), *steps_in(run, CHECKPOINTS, OLD_SUFFIX)})
    return [step for step in steps if all(is_file(checkpoint_path(run, step) / name) for name in _FILES)]


def checkpoint_path(run: Path, step: int) -> Path:
    """The checkpoint's folder: if a replacement stopped between its two renames, the one with the old name."""
    path = step_path(run, CHECKPOINTS, step)
    return path if exists(path) else old_name(path)


def read_checkpoint(path: Path, step: int) -> Checkpoint:
    """Read a checkpoint. Raises UserError that names a damaged file."""
    state = _read_state(path)
    model, optimizer = read_checkpoint_weights(path), read_tensors(path / OPTIMIZER)[0]
    return Checkpoint(step=step, model=model, optimizer=optimizer, state=state)


def read_checkpoint_weights(path: Path) -> dict[str, NDArray[Any]]:
    """Read only a checkpoint's weights."""
    return read_tensors(path / MODEL)[0]


def read_changes(path: Path) -> list[tuple[int, str, Any]]:
    """Read only the settings that were changed before a checkpoint was saved: step, key and value, in order."""
    try:
        return _CHANGES.validate_python(_read_state(path).get("changes"))
    except ValidationError:
        raise damaged(path / STATE, "it does not list the changed settings") from None


def _read_state(path: Path) -> dict[str, Any]:
    records = read_complete_lines(path / STATE)
    if not records:
        raise damaged(path / STATE, "it is empty")
    return records[0]
