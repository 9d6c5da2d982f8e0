"""Refuses a model too large to train before it is built, since a system may kill a process that takes too much."""

from __future__ import annotations

import torch

from core.config import RunConfig
from core.data.prepared_data import PreparedData
from core.errors import UserError
from core.machine.free_memory import free_memory
from core.machine.resource_errors import TORCH_ALLOCATOR
from core.model_size import batch_bytes, num_parameters
from core.training.optimization import STATE_BUFFERS

_FLOAT32 = 4


def model_bytes(config: RunConfig, data: PreparedData) -> int:
    """The exact bytes of weights, gradients and averages (the optimizer's, and the weights' moving average).

    A step of several batches keeps the sum over earlier ones beside the gradients. In bfloat16, weights and gradients
    exist a second time, in half the bytes (core/training/passes/weights.py).
    """
    per_weight = 2 + len(STATE_BUFFERS[config.training.optimizer.name]) + (config.training.ema_decay is not None)
    per_weight += (config.training.precision == "bfloat16") + (config.training.accumulate_steps > 1)
    return _FLOAT32 * per_weight * num_parameters(config, data)


def require_memory(config: RunConfig, data: PreparedData) -> None:
    """Raise UserError if the device has less free memory than the model needs even without a batch."""
    needed, free = model_bytes(config, data), _free_bytes(torch.device(config.training.device))
    if free is not None and needed > free:
        raise UserError(
            f"This model is too large for the memory of {config.training.device}: its weights, gradients and optimizer "
            f"state take {format_bytes(needed)}, and {format_bytes(free)} are free.",
            f"Make model.d_model (now {config.model.d_model:,}), model.d_ff (now {config.model.d_ff:,}) or the number "
            "of layers smaller.",
        )


def describe_memory(config: RunConfig, data: PreparedData) -> str:
    """The memory training takes: `Model and optimizer take 1.2 GB, and a step about 9.5 GB more.`"""
    model, batch = model_bytes(config, data), batch_bytes(config, data)
    return f"Model and optimizer take {format_bytes(model)}, and a step about {format_bytes(batch)} more."


def is_out_of_memory(error: Exception) -> bool:
    """Whether memory ran out: CUDA raises a type of its own, MPS and the CPU's allocator only say so in words."""
    words = (TORCH_ALLOCATOR, "out of memory")
    kinds = (torch.OutOfMemoryError, MemoryError)
    return isinstance(error, kinds) or (isinstance(error, RuntimeError) and any(word in str(error) for word in words))


def format_bytes(num_bytes: int) -> str:
    """`1.2 GB`; below one gigabyte, `1.2 MB`."""
    return f"{num_bytes / 1e9:,.1f} GB" if num_bytes >= 1e9 else f"{num_bytes / 1e6:,.1f} MB"


def release_cached_memory() -> None:
    """Release the GPU memory that torch caches, for other processes. Does nothing on a CPU."""
    torch.cuda.empty_cache()


def _free_bytes(device: torch.device) -> int | None:
    if device.type == "cuda":
        kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)  # cached by torch, so available
        return torch.cuda.mem_get_info(device)[0] + kept
    return free_memory() if device.type == "cpu" else None
