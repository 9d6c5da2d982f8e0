"""How many cores and processors this process may use, as far as the system tells."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from core.at_path import text_at
from core.machine.control_groups import control_groups


def usable_cores() -> int:
    """The physical cores that this process may keep busy, in the time that its control groups may take."""
    return _within_limits(len(set(map(_siblings, _processors()))))


def usable_processors() -> int:
    """As `usable_cores`, but each hardware thread of a core counts."""
    return _within_limits(len(_processors()))


def _within_limits(number: int) -> int:
    return max(1, int(min([number, *_limits()])))


def _processors() -> Collection[int]:
    """The processors that this process may run on, where the system tells."""
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)


def _siblings(processor: int) -> str:
    return text_at(Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")) or str(processor)


def _limits() -> Iterator[float]:
    """In cores, the time that each control group of this process may take, where it is limited.

    With more threads, Linux stops all of them for part of each tenth of a second, as soon as they have used the time
    up, also by waiting for each other.
    """
    for group in control_groups("cpu"):
        version_1 = " ".join(text_at(group / name).strip() for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us"))
        if limited := re.match(r"(\d+) (\d+)", text_at(group / "cpu.max") or version_1):  # not "max", nor -1
            yield int(limited[1]) / int(limited[2])
