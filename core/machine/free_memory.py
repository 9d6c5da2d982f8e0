"""How much main memory this process can still use, as far as the system tells."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from core.at_path import exists, text_at
from core.machine.control_groups import control_groups

_GROUP_FILES = (  # of control groups in their two versions, the second first
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)


def free_memory() -> int | None:
    """In bytes, the least of what machine, control groups and this process's limit leave. None if nothing is known."""
    return min(_known_limits(), default=None)


def _known_limits() -> Iterator[int]:
    meminfo = Path("/proc/meminfo")
    if exists(meminfo):
        sizes = dict(re.findall(r"(\w+): +(\d+) kB", meminfo.read_text()))
        yield 1024 * (int(sizes["MemAvailable"]) + int(sizes["SwapFree"]))
    elif hasattr(os, "sysconf"):  # macOS reclaims memory from other programs: all of it counts
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    yield from _free_in_control_groups()
    yield from _free_below_limit()


def _free_in_control_groups() -> Iterator[int]:
    """A group's usage includes cached files, but those not used lately can be evicted, so they count as free."""
    for group in control_groups("memory"):
        for max_name, current_name, unused_name in _GROUP_FILES:
            limit = _read_number(group / max_name)
            if limit is not None:
                unused = re.search(rf"^{unused_name} (\d+)$", text_at(group / "memory.stat"), re.MULTILINE)
                yield limit - (_read_number(group / current_name) or 0) + (int(unused[1]) if unused else 0)


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
