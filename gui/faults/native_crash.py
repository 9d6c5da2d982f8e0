"""Reports a crash in native code, which ends the process at once, at the next start."""

from __future__ import annotations

import faulthandler
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from core.events import Trouble
from core.run_files.claiming import is_alive, process_start_id
from gui.faults.unhandled_exceptions import log_path, write_to_log


@contextmanager
def recording_native_crashes() -> Iterator[None]:
    """Within the block a native crash writes the Python traceback to a file named after this process."""
    path = trace_path(os.getpid())
    with path.open("w", encoding="utf-8") as file:
        faulthandler.enable(file)
        try:
            yield
        finally:
            faulthandler.disable()
    path.unlink(missing_ok=True)


def trace_path(pid: int) -> Path:
    """The trace file of the process that now has this number; an earlier process of that number has another."""
    begun = (process_start_id(pid) or "").replace(" ", "-")
    return log_path().with_name(f"native-{pid}-{begun}.txt")


def earlier_crashes() -> list[Trouble]:
    """The crashes of earlier windows, oldest first. Each is returned once, and moved to the log."""
    crashes = []
    for path in _leftover_traces():
        with suppress(FileNotFoundError):  # another window that starts now was faster and reports it
            when, trace = path.stat().st_mtime, path.read_text(encoding="utf-8", errors="replace")
            path.unlink()
            if trace:  # else the process was killed
                crashes.append((when, trace))
    return [_log_and_report(datetime.fromtimestamp(when), trace) for when, trace in sorted(crashes)]


def _leftover_traces() -> list[Path]:
    """Trace files of processes that no longer exist."""
    files = log_path().parent.glob("native-*.txt")
    # Others are a person's; no process has a number of more than nine digits.
    matches = [(re.fullmatch(r"native-([0-9]{1,9})(-.*)?", path.stem), path) for path in files]
    traces = [(int(match[1]), path) for match, path in matches if match is not None]
    return [path for pid, path in traces if path != trace_path(pid) or not is_alive(pid)]


def _log_and_report(when: datetime, trace: str) -> Trouble:
    write_to_log(when, trace)
    return Trouble(
        sentence=f"Headlight crashed in native code on {when:%Y-%m-%d at %H:%M}: {summary(trace)}",
        advice="What was saved is safe, and you are offered to continue the run. Copy the details and report them.",
        details=trace,
    )


def summary(trace: str) -> str:
    """A sentence from `faulthandler`'s output, such as `Segmentation fault, in paint (curves.py, line 12).`"""
    reason = re.search(r"^(?:Fatal Python error|Windows fatal exception): (.*)$", trace, flags=re.MULTILINE)
    location = re.search(r'^Current thread.*\n +File "(.*)", line (\d+) in (.*)$', trace, flags=re.MULTILINE)
    cause = reason[1] if reason else "the process ended"
    return f"{cause}, in {location[3]} ({Path(location[1]).name}, line {location[2]})." if location else f"{cause}."
