"""Which weights a sentence is translated with besides the chosen ones: of another step, or of another run.

Reading the runs waits for a disk: `read_runs_with_weights` runs beside the GUI thread.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import UserError
from core.run_files.places import list_runs
from core.run_folder import RunFolder
from gui.runs.naming import name_of, told_apart_in_a_choice
from gui.runs.rows import example_path


@dataclass(frozen=True)
class RunWithWeights:
    """A run, and the steps whose weights it has kept, the newest first."""

    path: Path
    name: str
    seed: int
    created: float  # seconds since the epoch
    steps: tuple[int, ...]


def read_runs_with_weights(runs_dir: Path, plugin: str) -> list[RunWithWeights]:
    """All runs on this dataset, the newest first, then the example; damaged ones are left out, Runs tells of them."""
    found = (_with_weights(path, plugin) for path in [*reversed(list_runs(runs_dir)), example_path()])
    runs = [run for run in found if run is not None]
    return [replace(run, name=name) for run, name in zip(runs, told_apart_in_a_choice(runs), strict=True)]


def _with_weights(path: Path, plugin: str) -> RunWithWeights | None:
    try:
        folder = RunFolder.open(path)
        config = folder.config()
        if config.dataset.plugin != plugin:
            return None
        name = name_of(folder)
        steps = folder.kept_steps()[::-1]
    except (UserError, OSError):
        return None
    return RunWithWeights(path, name, config.seed, folder.state.created, tuple(steps)) if steps else None
