"""Lets one process at a time write a run, and identifies it even if a later process gets the same PID."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on the file `path`, waiting for other processes; no lock on systems without flock.

    The lock is released if the process ends. The file is created if it is missing, and nothing is written to it.
    """
    with path.open("ab") as file:
        with suppress(ImportError, OSError):  # Windows; a file system without locks
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
        yield  # closing the file unlocks it


def process_start_id(pid: int) -> str | None:
    """The boot and start time of a process, which no other process with the same PID has; None if unknown."""
    with suppress(OSError):  # it has ended, or this is no Linux
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {_stat(pid)[19]}"
    return None


def is_alive(pid: int) -> bool:
    """Whether a process with this PID is running on this machine."""
    if os.name == "nt":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _is_alive_on_windows(pid: int) -> bool:
    # os.kill(pid, 0) would send Ctrl-C there.
    kernel32: Any = getattr(ctypes, "windll").kernel32  # noqa: B009 (the attribute exists on Windows only)
    query_limited_information, still_active = 0x1000, 259
    handle = kernel32.OpenProcess(query_limited_information, False, pid)
    if not handle:
        return False
    code = ctypes.c_ulong()
    kernel32.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel32.CloseHandle(handle)
    return code.value == still_active


def _is_zombie(pid: int) -> bool:
    """Whether a process has ended but was not waited for by its parent: in many containers, none ever is."""
    with suppress(OSError):
        return _stat(pid)[0] == "Z"
    return False


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on, see proc(5). Raises OSError if it cannot be read."""
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
