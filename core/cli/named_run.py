"""Finds the run that the command line names."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from core.run_files.runs_dir import default_runs_dir, find_run


def runs_dir_of(arguments: Namespace) -> Path:
    """The folder of --runs-dir, or the default one."""
    runs_dir: Path | None = arguments.runs_dir
    return runs_dir or default_runs_dir()


def named_run(text: str, arguments: Namespace) -> Path:
    """The folder of a RUN. Raises UserError if there is none."""
    return find_run(text, runs_dir_of(arguments)).resolve()
