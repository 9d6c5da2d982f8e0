"""How torchrun is started, what it tells each process and what follows from that, and how failures are told to it.

Without torch, so that asking here does not load it. What the processes do together is core/training/distributed.py.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from core.errors import UserError
from core.machine.cores import usable_processors


class ProcessRank(NamedTuple):
    """Which process this is among `world_size`, and among those on this machine, counted from 0."""

    rank: int = 0
    world_size: int = 1
    local_rank: int = 0
    local_world_size: int = 1


def process_rank() -> ProcessRank:
    """This process's place; the only one if torchrun did not start it."""
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
    if not all(name in os.environ for name in names):  # some cluster schedulers set the first two
        return ProcessRank()
    return ProcessRank(*(int(os.environ[name]) for name in names))


def torchrun_command(num_processes: int) -> list[str]:
    """The command line before a script, or before `-m` and a module, that starts it so many times on this machine."""
    # By default they look for each other under the machine's name: in vain, for minutes, if that leads nowhere.
    on_this_machine = ["--standalone", "--local-addr", "127.0.0.1"]
    return [sys.executable, "-m", "core.processes.agent", *on_this_machine, "--nproc-per-node", str(num_processes)]


def max_processes() -> int:
    """The most processes on this machine: more would only wait for each other. Two can be tried anywhere."""
    return max(2, usable_processors())


def is_alone() -> bool:
    """Whether this process trains its run by itself."""
    return process_rank().world_size == 1


def is_leader() -> bool:
    """Whether this process is the first of its run, which decides what the others do; a single process leads, too."""
    return process_rank().rank == 0


def require_one_process(what: str, advice: str) -> None:
    """Raise UserError if torchrun started several processes, with advice what to do instead of `what`."""
    if not is_alone():
        raise UserError(f"{what} works with one process only.", advice)


def require_device_per_process(device: str, num_gpus: int) -> None:
    """Raise UserError if torchrun started more processes on this machine than it has such devices."""
    num_local = process_rank().local_world_size
    if device.startswith("cuda") and num_local > num_gpus:
        raise UserError(
            f"{num_local} processes need as many GPUs; this machine has {num_gpus}.",
            "Start fewer, or train with --set training.device=cpu.",
        )
    if device == "mps" and not is_alone():  # gloo sends tensors of CPUs and NVIDIA GPUs
        raise UserError("Several processes cannot train on mps.", "Start one, or train with --set training.device=cpu.")


def local_device(device: str) -> str:
    """The device of this process in a run on `device`: of several GPUs, the one with the process's own number."""
    return device if is_alone() or not device.startswith("cuda") else f"cuda:{process_rank().local_rank}"


def local_threads(num_threads: int) -> int:
    """The run's threads, but with several processes at most a share of this machine's: all wait for the slowest."""
    return num_threads if is_alone() else min(num_threads, local_cores(usable_processors()))


def local_cores(num_cores: int) -> int:
    """This process's share of its machine's cores, at least one."""
    return max(1, num_cores // process_rank().local_world_size)


def local_sentences(num_sentences: int) -> int:
    """About how many of a batch's sentences this process works on, at least one."""
    return max(1, num_sentences // process_rank().world_size)


def report_to_torchrun(sentence: str) -> None:
    """Have torchrun report this as the reason why this process failed; by default it reports that there is none.

    The file and its format are those of torch.distributed.elastic.multiprocessing.errors.
    """
    if path := os.environ.get("TORCHELASTIC_ERROR_FILE"):
        message = {"message": sentence, "extraInfo": {"timestamp": str(int(time.time()))}}
        with suppress(OSError):  # the disk is full, which may be why it failed
            Path(path).write_text(json.dumps({"message": message}), encoding="utf-8")


def ignore_end_by_torchrun() -> None:
    """Let this process, which is about to end, say why: once one process has failed, torchrun ends all by SIGTERM."""
    if not is_alone():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def silence_torch() -> None:
    """Have torch log only errors if there are several processes; call it before torch is imported.

    At an address that has no name, as without a network, each of them would log a warning.
    """
    if not is_alone():
        os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
