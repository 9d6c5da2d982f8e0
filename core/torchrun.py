"""What torchrun tells each process it starts, read from the environment; without torch."""

from __future__ import annotations

import os
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
    return Place(*(int(os.environ[name]) for name in names)) if "WORLD_SIZE" in os.environ else Place()
