"""Which weights of a run a verb works with, and how it decodes."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from core.requests import OpenRun
from core.run_folder import RunFolder, default_runs_dir, find_run


def decoding_changes(arguments: Namespace) -> tuple[tuple[str, object], ...]:
    """The settings that --beam-size and --length-penalty change."""
    changes = (("decoding.beam_size", arguments.beam_size), ("decoding.length_penalty", arguments.length_penalty))
    return tuple((key, value) for key, value in changes if value is not None)


def opening_of(
    run: str, runs_dir: Path | None, checkpoint: str | None = None, changes: tuple[tuple[str, object], ...] = ()
) -> OpenRun:
    """Open a RUN as the command line names it, at its best checkpoint; before any validation, at its last."""
    path = find_run(run, runs_dir or default_runs_dir()).resolve()
    best = RunFolder.open(path).state.best_step is not None
    return OpenRun(run=path, checkpoint=checkpoint or ("best" if best else "last"), averaged=True, changes=changes)
