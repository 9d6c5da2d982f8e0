"""The sentences for a run that cannot go on by itself."""

from __future__ import annotations

import torch

from core.config import TrainingConfig
from core.events import Trouble


def diverged(step: int, training: TrainingConfig) -> Trouble:
    """Loss or gradient of this step was not a finite number."""
    clipping = "" if training.max_grad_norm is not None else ", set training.max_grad_norm to 1.0"
    return Trouble(
        sentence=f"Training diverged: at step {step:,} the loss or its gradient was not a finite number. "
        f"That step changed nothing; the weights are those of step {step - 1:,}.",
        advice=f"Lower training.optimizer.learning_rate (now {training.optimizer.learning_rate:g}), "
        f"warm up for more steps{clipping}, then go on from the last checkpoint.",
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
