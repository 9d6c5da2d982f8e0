"""How the process of plugins ended, and what is to be done about it: where memory ran out, no plugin need be mended."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

_SYSTEM = Path("/proc/vmstat")  # of Linux: what it has counted
# What C++, Rust and Python say who get no memory where no exception can be raised.
_NO_MEMORY = re.compile(r"std::bad_alloc|memory allocation of \d+ bytes failed|^(numpy.*)?MemoryError")
_MAKE_ROOM = "Close other programs, or let it keep less in memory"
_RAISE = "Let it raise an exception instead"


class Ending(NamedTuple):
    """What is said of it, and what to do."""

    reason: str
    remedy: str


LIVES_ON = Ending("closed the pipes of its process", "Let it leave them open")


def ending(code: int, output: Iterable[str], kills_before: int | None) -> Ending:
    """In words: `code` is subprocess's, `output` what was printed; at its start `num_kills` said `kills_before`."""
    signalled = signal.Signals(-code).name if code < 0 else ""
    if signalled == "SIGKILL":
        if kills_before != num_kills():
            return Ending("was ended by the system, which had no memory left (SIGKILL)", _MAKE_ROOM)
        return Ending("was ended by somebody, or by a system without memory left (SIGKILL)", _MAKE_ROOM)
    how = f"crashed ({signalled})" if signalled else f"ended its process (exit code {code})"
    if any(map(_NO_MEMORY.search, output)):
        return Ending(f"did not have enough memory, and {how}", _MAKE_ROOM)
    return Ending(how, _RAISE)


def num_kills() -> int | None:
    """How many processes the system has ended for want of memory; None where it does not tell."""
    found = re.search(r"^oom_kill (\d+)$", _SYSTEM.read_text(), re.MULTILINE) if _SYSTEM.exists() else None
    return int(found[1]) if found else None
