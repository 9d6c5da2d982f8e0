"""How much main memory this process can still use, as far as the system tells."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from core.at_path import exists, text_at

_CONTAINER = Path("/sys/fs/cgroup")


def free_memory() -> int | None:
    """In bytes, the least of what the machine, a container and this process's limit leave. None if nothing is known."""
    return min(_known_limits(), default=None)


def _known_limits() -> Iterator[int]:
    meminfo = Path("/proc/meminfo")
    if exists(meminfo):
        sizes = dict(re.findall(r"(\w+): +(\d+) kB", meminfo.read_text()))
        yield 1024 * (int(sizes["MemAvailable"]) + int(sizes["SwapFree"]))
    elif hasattr(os, "sysconf"):  # macOS reclaims memory from other programs: all of it counts
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    yield from _free_in_container()
    yield from _free_below_limit()


def _free_in_container() -> Iterator[int]:
    """The container's usage includes cached files, but those not used lately can be evicted, so they count as free."""
    limit = _read_number(_CONTAINER / "memory.max")
    if limit is not None:
        unused = re.search(r"^inactive_file (\d+)$", text_at(_CONTAINER / "memory.stat"), re.MULTILINE)
        yield limit - (_read_number(_CONTAINER / "memory.current") or 0) + (int(unused[1]) if unused else 0)


def _free_below_limit() -> Iterator[int]:
    """What `ulimit -v` leaves."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limit, statm = resource.getrlimit(resource.RLIMIT_AS)[0], Path("/proc/self/statm")
    if limit != resource.RLIM_INFINITY and exists(statm):
        yield limit - int(statm.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _read_number(path: Path) -> int | None:
    text = text_at(path).strip()
    return int(text) if text.isdecimal() else None
