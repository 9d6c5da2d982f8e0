"""Converts a checkpoint's tensors to numpy and back, and validates its plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError
from torch import Tensor

from core.decoding.probed_sentences import SentenceToProbe
from core.errors import UserError
from core.training.best import Best
from core.user_input.errors import first_message


class BatchPosition(BaseModel):
    """What `TrainBatches.state` gives."""

    round: int
    next: int
    num_batches: int


class DoneAt(BaseModel):
    """The steps of `DueTasks.done_at`."""

    probe: int
    validation: int
    checkpoint: int


class CheckpointState(BaseModel):
    """The plain values, as state.json holds them."""

    batches: BatchPosition
    best: Best
    done_at: DoneAt
    changes: list[tuple[int, str, Any]]  # LiveSettings.changes
    probe_sentences: list[SentenceToProbe]


def parse_checkpoint_state(record: Mapping[str, Any]) -> CheckpointState:
    """The values of a state.json. Raises UserError if one is missing or of the wrong type."""
    try:
        return CheckpointState.model_validate(record)
    except ValidationError as error:
        sentence = f"The checkpoint's state.json cannot be read: {first_message(error)}."
        raise UserError(sentence, "Restore it from a copy of the run.") from None


def to_arrays(tensors: Mapping[str, Tensor]) -> dict[str, NDArray[Any]]:
    """The tensors in main memory, to be written at once: those already there are views, which later steps change."""
    return {name: tensor.detach().cpu().numpy() for name, tensor in tensors.items()}


def to_tensors(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Tensor]:
    """Copies of the arrays, as tensors."""
    return {name: torch.tensor(array) for name, array in arrays.items()}
