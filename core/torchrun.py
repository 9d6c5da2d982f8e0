"""How torchrun is started, and what it tells each process, read from the environment; without torch."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple


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


def silence_torch() -> None:
    """Have torch log errors only; call it before torch is imported.

    Where processes meet on an address that nothing gives a name to, as without a network, each of them would be warned.
    """
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
