"""How many cores this process may use, as far as the system tells."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from core.at_path import text_at
from core.machine.control_groups import control_groups


def usable_cores() -> int:
    """The physical cores that this process may keep busy, in the time that its control groups may take."""
    return max(1, int(min([_physical_cores(), *_limits()])))


def _physical_cores() -> int:
    """Cores this process may run on; two hardware threads of a core count once where the system tells."""
    if not hasattr(os, "sched_getaffinity"):
        return os.cpu_count() or 1
    siblings = {_siblings(number) for number in os.sched_getaffinity(0)}
    return max(1, len(siblings))


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
