"""A crash in native code ends the process at once: what is known of it is told at the next start."""

from __future__ import annotations

import faulthandler
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from core.events import Trouble
from core.run_files.state import is_alive
from gui.faults.crash import log_path


@contextmanager
def leaving_a_trace() -> Iterator[None]:
    """Within the block a crash leaves the lines of Python that led to it in a file of this process's own."""
    path = log_path().with_name(f"native-{os.getpid()}.txt")
    with path.open("w", encoding="utf-8") as file:
        faulthandler.enable(file)
        try:
            yield
        finally:
            faulthandler.disable()
    path.unlink()


def earlier_crashes() -> list[Trouble]:
    """What windows that crashed have left, oldest first; told once, and kept in the log from then on."""
    told = []
    for path in sorted(_left_behind(), key=_time_of):
        if path.stat().st_size:  # an empty one was killed, which is no crash
            told.append(_told(path))
        path.unlink()
    return told


def _left_behind() -> list[Path]:
    """Traces of processes that are gone."""
    traces = log_path().parent.glob("native-*.txt")
    return [path for path in traces if not is_alive(int(path.stem.partition("-")[2]))]


def _told(path: Path) -> Trouble:
    trace, when = path.read_text(encoding="utf-8", errors="replace"), datetime.fromtimestamp(_time_of(path))
    with log_path().open("a", encoding="utf-8") as log:
        log.write(f"{when.isoformat()}\n{trace}\n")
    return Trouble(
        sentence=f"Headlight crashed in native code on {when:%Y-%m-%d at %H:%M}: {summary(trace)}",
        advice="What was saved is safe, and the run is offered to go on. Copy the details and report them.",
        details=trace,
    )


def summary(trace: str) -> str:
    """`Segmentation fault, in paint (curves.py, line 12)`, of what `faulthandler` writes."""
    reason = re.search(r"^(?:Fatal Python error|Windows fatal exception): (.*)$", trace, flags=re.MULTILINE)
    place = re.search(r'^Current thread.*\n +File "(.*)", line (\d+) in (.*)$', trace, flags=re.MULTILINE)
    said = reason[1] if reason else "the process ended"
    return f"{said}, in {place[3]} ({Path(place[1]).name}, line {place[2]})." if place else f"{said}."


def _time_of(path: Path) -> float:
    return path.stat().st_mtime
