"""run.json: where a run stands, who writes it, and the checksums of the documents beside it."""

from __future__ import annotations

import ctypes
import os
import socket
from dataclasses import dataclass, field
from typing import Any

RUN_STATES = ("new", "learning", "paused", "stopped", "finished", "failed")


@dataclass(frozen=True, kw_only=True)
class RunState:
    """What run.json says. `pid` and `host` name the process that writes the run, None while nobody does."""

    format: int = 1
    state: str = "new"  # one of RUN_STATES
    created: float = 0.0  # seconds since the epoch
    updated: float = 0.0
    last_step: int = 0  # the newest checkpoint's
    best_step: int | None = None  # the checkpoint with the best `best_metric`
    best_value: float | None = None
    reason: str | None = None  # a FinishReason, once the run has ended
    parent: str | None = None  # name of the run this one was restarted from
    pid: int | None = None
    host: str | None = None
    checksums: dict[str, str] = field(default_factory=dict)  # file name -> crc32 of its bytes

    def writer(self) -> str | None:
        """The live other process that writes this run, in words; None where there is none."""
        if self.pid is None or self.is_ours():
            return None
        if self.host != socket.gethostname():
            return f"process {self.pid} on {self.host}"
        return f"process {self.pid}" if is_alive(self.pid) else None

    def is_ours(self) -> bool:
        """Whether this very process writes the run."""
        return self.pid == os.getpid() and self.host == socket.gethostname()


def state_from_record(record: dict[str, Any]) -> RunState:
    """The state in a JSON object. Raises TypeError or ValueError where it is no run.json of ours."""
    state = RunState(**record)
    if state.format != 1:
        raise ValueError(f"format {state.format}, expected 1")
    if state.state not in RUN_STATES:
        raise ValueError(f"state {state.state!r}")
    if not isinstance(state.last_step, int) or not isinstance(state.checksums, dict):
        raise TypeError("last_step or checksums of a wrong type")
    return state


def is_alive(pid: int) -> bool:
    """Whether this machine has such a process now."""
    if os.name == "nt":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


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
