"""Lists the runs that the shown one can be compared with, by their probes or by their weights.

Reading them waits for a disk: both functions run beside the GUI thread.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import UserError
from core.run_folder import RunFolder, list_runs
from gui.runs.rows import example_path
from gui.runs.run_names import distinct_short_names, run_name


@dataclass(frozen=True)
class OtherRun:
    """A run, and the steps at which it has kept what was asked for: probes, or weights."""

    path: Path
    name: str
    seed: int
    created: float  # seconds since the epoch
    steps: tuple[int, ...]
    sources: tuple[str, ...] = ()  # of the sentences its newest probe follows


def read_runs_with_probes(runs_dir: Path) -> list[OtherRun]:
    """The runs that were probed, with the steps ascending."""

    def with_steps(run: OtherRun, folder: RunFolder) -> OtherRun:
        steps = tuple(folder.probe_steps())
        sources = tuple(one.source for one in folder.probe(steps[-1]).sentences) if steps else ()
        return replace(run, steps=steps, sources=sources)

    return _read(runs_dir, with_steps)


def read_runs_with_weights(runs_dir: Path, plugin: str) -> list[OtherRun]:
    """The runs on this dataset that have kept weights, with the newest step first."""

    def with_steps(run: OtherRun, folder: RunFolder) -> OtherRun:
        is_on_it = folder.config().dataset.plugin == plugin
        return replace(run, steps=tuple(folder.kept_steps()[::-1]) if is_on_it else ())

    return _read(runs_dir, with_steps)


def _read(runs_dir: Path, add_steps: Callable[[OtherRun, RunFolder], OtherRun]) -> list[OtherRun]:
    """In the reverse order of their folders' names, the example last; without runs that have no such step, or are
    damaged (Runs reports it).
    """
    runs = []
    for path in [*reversed(list_runs(runs_dir)), example_path()]:
        with suppress(UserError, OSError):
            folder = RunFolder.open(path)
            run = OtherRun(path, run_name(folder), folder.config().seed, folder.state.created, steps=())
            runs.append(add_steps(run, folder))
    runs = [run for run in runs if run.steps]
    return [replace(run, name=name) for run, name in zip(runs, distinct_short_names(runs), strict=True)]
