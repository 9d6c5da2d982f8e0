"""How much main memory this process can still take, as far as the system tells."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

_CONTAINER = Path("/sys/fs/cgroup")


def free_memory() -> int | None:
    """Bytes: the least of what the machine, a container and a limit of this process leave. None where nobody tells."""
    return min(_known(), default=None)


def _known() -> Iterator[int]:
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        sizes = dict(re.findall(r"(\w+): +(\d+) kB", meminfo.read_text()))
        yield 1024 * (int(sizes["MemAvailable"]) + int(sizes["SwapFree"]))
    elif hasattr(os, "sysconf"):  # macOS takes memory back from other programs: what it has is what counts
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit = _number(_CONTAINER / "memory.max")
    if limit is not None:
        yield limit - (_number(_CONTAINER / "memory.current") or 0)
    yield from _left_by_limit()


def _left_by_limit() -> Iterator[int]:
    """What `ulimit -v` leaves."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limit, statm = resource.getrlimit(resource.RLIMIT_AS)[0], Path("/proc/self/statm")
    if limit != resource.RLIM_INFINITY and statm.exists():
        yield limit - int(statm.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _number(path: Path) -> int | None:
    text = path.read_text().strip() if path.exists() else ""
    return int(text) if text.isdecimal() else None
