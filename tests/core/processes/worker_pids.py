"""The processes that torchrun started for a window or an engine of this test."""

from __future__ import annotations

import os
from pathlib import Path


def worker_pids() -> dict[int, int]:
    """Process ids by rank; of this test alone, whose home they have."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_worker = b"core.processes.worker" in (folder / "cmdline").read_bytes().split(b"\0")
            environment = (folder / "environ").read_bytes().split(b"\0")
        except OSError:  # it ended while we looked, or is another user's
            continue
        ranks = [entry.removeprefix(b"RANK=") for entry in environment if entry.startswith(b"RANK=")]
        if is_worker and ranks and os.fsencode(f"HOME={os.environ['HOME']}") in environment:
            found[int(ranks[0])] = int(folder.name)
    return found
