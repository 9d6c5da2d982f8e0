"""How torchrun is started, what it tells each process and all that depends on it, and what one that fails tells it.

Without torch: whoever asks here need not load it. What several processes do together is core/training/distributed.py.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from core.errors import UserError


class Place(NamedTuple):
    """Which process this is among `world_size`, and among those on this machine; counted from 0."""

    rank: int = 0
    world_size: int = 1
    local_rank: int = 0
    local_world_size: int = 1


def place() -> Place:
    """This process's place; the only one where torchrun did not start it."""
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
    if not all(name in os.environ for name in names):  # some schedulers of clusters set the first two
        return Place()
    return Place(*(int(os.environ[name]) for name in names))


def starting(num_processes: int) -> list[str]:
    """What comes before a script, or `-m` and a module, to start it so many times on this machine."""
    return [sys.executable, "-m", "core.processes.agent", "--standalone", "--nproc-per-node", str(num_processes)]


def most_processes() -> int:
    """More of them on this machine would only wait for each other. Two can be watched on any."""
    return max(2, os.cpu_count() or 1)


def is_alone() -> bool:
    """Whether this process trains its run by itself."""
    return place().world_size == 1


def is_leader() -> bool:
    """Whether this process is the first of its run, which decides what the others do; the only one leads, too."""
    return place().rank == 0


def require_one_process(what: str, advice: str) -> None:
    """Raise UserError where torchrun started several, with what one may do in place of `what`."""
    if not is_alone():
        raise UserError(f"{what} goes with one process.", advice)


def require_a_device_each(device: str, num_gpus: int) -> None:
    """Raise UserError where torchrun started more processes on this machine than it has such devices."""
    wanted = place().local_world_size
    if device.startswith("cuda") and wanted > num_gpus:
        raise UserError(
            f"{wanted} processes need as many GPUs; this machine has {num_gpus}.",
            "Start fewer, or train with --set training.device=cpu.",
        )
    if device == "mps" and not is_alone():  # gloo sends tensors of processors and of NVIDIA's GPUs
        raise UserError("Several processes cannot train on mps.", "Start one, or train with --set training.device=cpu.")


def device_here(device: str) -> str:
    """Where this process computes, when the run does on `device`: of several, on the GPU of its own number."""
    return device if is_alone() or not device.startswith("cuda") else f"cuda:{place().local_rank}"


def threads_here(num_threads: int) -> int:
    """The run's threads, but of several processes no more than a share of this machine: all wait for the slowest."""
    return num_threads if is_alone() else min(num_threads, cores_here(os.cpu_count() or 1))


def cores_here(num_cores: int) -> int:
    """This process's share of so many cores of its machine, one at least."""
    return max(1, num_cores // place().local_world_size)


def sentences_here(num_sentences: int) -> int:
    """About how many sentences of a batch of so many this process works on, one at least."""
    return max(1, num_sentences // place().world_size)


def tell_torchrun(sentence: str) -> None:
    """Have torchrun give this as the reason why this process failed, when it ends; it would say that it knows none.

    The file and its form are those of torch.distributed.elastic.multiprocessing.errors.
    """
    if path := os.environ.get("TORCHELASTIC_ERROR_FILE"):
        message = {"message": sentence, "extraInfo": {"timestamp": str(int(time.time()))}}
        with suppress(OSError):  # the disk is full, which may be why it failed
            Path(path).write_text(json.dumps({"message": message}), encoding="utf-8")


def silence_torch() -> None:
    """Have torch log errors only, where processes are to meet; call it before torch is imported.

    On an address that nothing gives a name to, as without a network, each of them would be warned.
    """
    if not is_alone():
        os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
