"""Opens the runs named on the command line in one process, and prints one JSON line for each.

The first run is good: opening it imports everything that opening needs. After that, an audit hook records every event
that executes code, starts a process, opens a socket, or writes outside the folder of the runs.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.engine import Engine
from core.errors import UserError
from core.machine.torch_import import stub_out_tracing
from core.requests import OpenRun, Translate
from tests.core.watcher import answered
from tests.reliability.small_runs import SENTENCE, read_everything

EXECUTING_EVENTS = ("exec", "import", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "ctypes.")
FORBIDDEN_EVENTS = ("subprocess.", "socket.", "pickle.", "marshal.", "urllib.", "webbrowser.")
GPU_QUERY = "ctypes.dlopen ('libnvidia-ml.so.1',)"  # torch built for CUDA does, through its driver's library
MAX_GROWTH = 2 * 2**30  # bytes of address space beyond what a good run took
seen: list[str] = []


def record_event(event: str, arguments: tuple[Any, ...]) -> None:
    """Record an event that opening a run must not cause."""
    if event.startswith((*EXECUTING_EVENTS, *FORBIDDEN_EVENTS)):
        description = f"{event} {str(arguments)[:100]}"
        seen.extend([description] if description != GPU_QUERY else [])
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR):
        seen.extend([f"writes {arguments[0]}"] if not is_allowed(arguments[0]) else [])


def is_allowed(path: int | str | bytes | os.PathLike[str]) -> bool:
    """Whether a path opened for writing lies in the folder of the runs and their cache."""
    return isinstance(path, int) or os.fsdecode(path).startswith(str(runs_dir))


def refusal(work: Callable[[], object]) -> str | None:
    """Return the sentence of the UserError that `work` raises, or None."""
    try:
        work()
    except UserError as error:
        return error.sentence
    return None


def load(engine: Engine, run: Path) -> None:
    """Load a run's newest weights and translate a sentence."""
    answered(engine, OpenRun(run=run))
    answered(engine, Translate(texts=(SENTENCE,)))


def open_and_print(engine: Engine, run: Path) -> None:
    """Open one run and print a JSON line about it."""
    seen.clear()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fault = read = loaded = None
    try:
        read, loaded = refusal(lambda: read_everything(run)), refusal(lambda: load(engine, run))
    except BaseException:
        fault = traceback.format_exc()
    took = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    record = {"run": run.name, "read": read, "loaded": loaded, "fault": fault, "took_mb": took, "seen": seen}
    print(json.dumps(record), flush=True)


stub_out_tracing()
runs_dir = Path(sys.argv[1]).parent
with Engine(cache_dir=runs_dir / "cache") as one_engine:
    read_everything(Path(sys.argv[1]))
    load(one_engine, Path(sys.argv[1]))
    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + MAX_GROWTH, size + MAX_GROWTH))
    sys.addaudithook(record_event)
    for given in sys.argv[2:]:
        open_and_print(one_engine, Path(given))
