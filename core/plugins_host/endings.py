"""Says how the host process ended and what to do about it: if memory ran out, no plugin is at fault."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

_SYSTEM = Path("/proc/vmstat")  # Linux's counters
# What C++, Rust and Python print if they get no memory and cannot raise an exception.
_NO_MEMORY = re.compile(r"std::bad_alloc|memory allocation of \d+ bytes failed|^(numpy.*)?MemoryError")
_MAKE_ROOM = "Close other programs, or let it keep less in memory"
_RAISE = "Let it raise an exception instead"


class Ending(NamedTuple):
    """The reason of an ending, and what to do about it."""

    reason: str
    remedy: str


LIVES_ON = Ending("closed the pipes of its process", "Let it leave them open")


def ending(code: int, output: Iterable[str], kills_before: int | None) -> Ending:
    """Describe an ending by subprocess's return `code`, the printed `output`, and `num_kills` when it started."""
    signalled = signal.Signals(-code).name if code < 0 else ""
    if signalled == "SIGKILL":
        if kills_before != num_kills():
            return Ending("was killed by the system, which had no memory left (SIGKILL)", _MAKE_ROOM)
        return Ending("was killed, perhaps by a system without memory left (SIGKILL)", _MAKE_ROOM)
    how = f"crashed ({signalled})" if signalled else f"ended its process (exit code {code})"
    if any(map(_NO_MEMORY.search, output)):
        return Ending(f"did not have enough memory, and {how}", _MAKE_ROOM)
    return Ending(how, _RAISE)


def num_kills() -> int | None:
    """How many processes the system has killed for lack of memory; None if it does not say."""
    found = re.search(r"^oom_kill (\d+)$", _SYSTEM.read_text(), re.MULTILINE) if _SYSTEM.exists() else None
    return int(found[1]) if found else None
