"""Which process writes a run: one at a time, told apart from a later one that the system gave the same number."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Of processes that come here with the same file, each waits for the one before; where the system has such locks.

    A process that ends lets go. The file is made where it is missing, and nothing is written.
    """
    with path.open("ab") as file:
        with suppress(ImportError, OSError):  # Windows; a file system without locks
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
        yield  # closing the file unlocks it


def started_at(pid: int) -> str | None:
    """When a process began, as the system counts: no other with this number has the same. None where unknown."""
    with suppress(OSError):  # it has ended, or this is no Linux
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {_stat(pid)[19]}"
    return None


def is_zombie(pid: int) -> bool:
    """Whether a process has ended and its parent has not looked: in many containers none ever does."""
    with suppress(OSError):
        return _stat(pid)[0] == "Z"
    return False


def _stat(pid: int) -> list[str]:
    """What Linux tells of a process, from its state on (proc(5), /proc/pid/stat). Raises OSError where it cannot."""
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
