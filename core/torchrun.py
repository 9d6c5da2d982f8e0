"""How torchrun is started, what it tells each process, and what it is told by one that fails; without torch.

What depends on that is decided here and in core/training/distributed.py, which has torch; all others ask these two.
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
    return [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(num_processes)]


def is_leader() -> bool:
    """Whether this process is the first of its run, which decides what the others do; the only one leads, too."""
    return place().rank == 0


def require_one_process(what: str, advice: str) -> None:
    """Raise UserError where torchrun started several, with what one may do in place of `what`."""
    if place().world_size > 1:
        raise UserError(f"{what} goes with one process.", advice)


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
    if place().world_size > 1:
        os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
