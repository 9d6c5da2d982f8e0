"""Says how the host process ended and what to do about it: if memory ran out, no plugin is at fault."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from core.at_path import exists

_VMSTAT = Path("/proc/vmstat")  # Linux's counters
# What C++, Rust and Python print if they get no memory and cannot raise an exception.
_OUT_OF_MEMORY = re.compile(r"std::bad_alloc|memory allocation of \d+ bytes failed|^(numpy.*)?MemoryError")
_FREE_MEMORY = "Close other programs, or let it keep less in memory"
_RAISE_EXCEPTION = "Let it raise an exception instead"


class ExitExplanation(NamedTuple):
    """Why the process ended, and what to do about it."""

    reason: str
    remedy: str


CLOSED_PIPES = ExitExplanation("closed the pipes of its process", "Let it leave them open")


def explain_exit(code: int, output: Iterable[str], oom_kills_before: int | None) -> ExitExplanation:
    """Explain an exit by subprocess's return `code`, the printed `output`, and `num_oom_kills` at the start."""
    signal_name = signal.Signals(-code).name if code < 0 else ""
    if signal_name == "SIGKILL":
        if oom_kills_before != num_oom_kills():
            return ExitExplanation("was killed by the system, which had no memory left (SIGKILL)", _FREE_MEMORY)
        return ExitExplanation("was killed, perhaps by a system without memory left (SIGKILL)", _FREE_MEMORY)
    reason = f"crashed ({signal_name})" if signal_name else f"ended its process (exit code {code})"
    if any(map(_OUT_OF_MEMORY.search, output)):
        return ExitExplanation(f"did not have enough memory, and {reason}", _FREE_MEMORY)
    return ExitExplanation(reason, _RAISE_EXCEPTION)


def num_oom_kills() -> int | None:
    """How many processes the system has killed for lack of memory; None if it does not say."""
    found = re.search(r"^oom_kill (\d+)$", _VMSTAT.read_text(), re.MULTILINE) if exists(_VMSTAT) else None
    return int(found[1]) if found else None
