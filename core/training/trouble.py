"""The sentences for a run that cannot go on by itself."""

from __future__ import annotations

import torch

from core.config import TrainingConfig
from core.events import Trouble
from core.lower_rate import lower_rate


def diverged(step: int, what: str, training: TrainingConfig) -> Trouble:
    """Something of this step was not a finite number: `what` says which tensor."""
    key, rate = lower_rate(training)
    clipping = "" if training.max_grad_norm is not None else ", or set training.max_grad_norm to 1.0"
    return Trouble(
        sentence=f"Training diverged: at step {step:,} {what} was not a finite number. Nothing of that step is kept.",
        advice=f"Go on from the last checkpoint with {key} = {rate:g}, warm up for more steps{clipping}.",
        offer="lower_rate",
    )


def out_of_memory(step: int, error: RuntimeError, training: TrainingConfig) -> Trouble:
    """A step needed more memory than the device has."""
    batch = "batch_size" if training.batch_tokens is None else "batch_tokens"
    return Trouble(
        sentence=f"The memory of {training.device} did not suffice for step {step + 1:,}.",
        advice=f"Lower training.{batch} and raise training.accumulate_steps by as much, or make the model smaller.",
        details=str(error),
    )


def is_out_of_memory(error: RuntimeError) -> bool:
    """Whether torch says so: CUDA by a type of its own, MPS and the CPU's allocator only in words."""
    words = ("DefaultCPUAllocator", "out of memory")
    return isinstance(error, torch.OutOfMemoryError) or any(word in str(error) for word in words)
