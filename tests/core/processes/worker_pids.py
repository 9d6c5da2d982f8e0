"""Finds the processes that torchrun started for this test."""

from __future__ import annotations

import os
from pathlib import Path


def worker_pids() -> dict[int, int]:
    """Process IDs by rank; the processes of this test are known by their home."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_worker = b"core.worker_process" in (folder / "cmdline").read_bytes().split(b"\0")
            environment = (folder / "environ").read_bytes().split(b"\0")
        except OSError:  # it has ended meanwhile, or belongs to another user
            continue
        ranks = [entry.removeprefix(b"RANK=") for entry in environment if entry.startswith(b"RANK=")]
        if is_worker and ranks and os.fsencode(f"HOME={os.environ['HOME']}") in environment:
            found[int(ranks[0])] = int(folder.name)
    return found
