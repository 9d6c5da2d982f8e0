"""The control groups by which Linux limits a process: those of a container, a service, or a job on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.at_path import text_at

OWN = Path("/proc/self/cgroup")
MOUNTED = Path("/sys/fs/cgroup")


def control_groups(controller: str) -> Iterator[Path]:
    """The folders of this process's own group and of those around it, whose limits it shares: "cpu" or "memory".

    A container may see its own group as the outermost, under another name than the process is told. Version 1 has a
    tree for each controller, version 2 one for all.
    """
    for line in text_at(OWN).splitlines():
        _, controllers, name = line.split(":", maxsplit=2)
        if not controllers or controller in controllers.split(","):
            group = (MOUNTED / controller if controllers else MOUNTED) / name.lstrip("/")
            yield from (group, *group.parents)
