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
    """Open a RUN as the command line names it, at this checkpoint or its usual one."""
    path = find_run(run, runs_dir or default_runs_dir()).resolve()
    checkpoint = checkpoint or usual_checkpoint(RunFolder.open(path))
    return OpenRun(run=path, checkpoint=checkpoint, averaged=True, changes=changes)


def usual_checkpoint(run: RunFolder) -> str:
    """The one that verbs work with unless another is named: the best, before any validation the last."""
    return "best" if run.state.best_step is not None else "last"
