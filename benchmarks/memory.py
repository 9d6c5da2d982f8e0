"""What a long run costs: `python -m benchmarks.memory` trains 20,000 steps in a real window, and prints what grew.

A tiny model trains with probes, validations and checkpoints, with all panels of the Train view on screen. Every
thousand steps it counts resident memory, file handles, threads, Qt's objects and the items in the plots, and at the end
the files in the run folder. Growth is the slope of a line through the counts after the warm-up. It fails if memory
grows by more than `BOUND_MB`, if anything else grows at all, or the folder by more than docs/reliability.md says.
Linux only.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QGraphicsView
from shiboken6 import getAllValidWrappers

from benchmarks.real_window import real_window
from core.events import Prepared

STEPS = 20_000
EVERY = 1000  # steps between two counts
WARM_UP = 5000  # steps in which torch, pyqtgraph and the allocator settle, and History's caches fill
BOUND_MB = 1.0  # of growth in a thousand steps
NAMES = {"handles": "file handles", "threads": "threads", "objects": "Qt's objects", "items": "items in the plots"}
PARTS = ("metrics.jsonl", "validations", "probes", "snapshots", "checkpoints")
SNAPSHOTS_MB = 2  # all snapshots together; less than the default, with which nothing would be thinned here
CHECKPOINTS = 5  # the number kept by default, with best and last
MAX_MB = {  # in the run folder: 300 bytes a step and a line a validation; 256 sentences of three tokens, 100 and best
    "metrics.jsonl": 320 * STEPS / 1e6,
    "validations": 101 * 0.08,
    "snapshots": SNAPSHOTS_MB,
}
MAX_FILES = {"validations": 101, "probes": 120, "checkpoints": 3 * CHECKPOINTS}
SETTINGS = f"""
format: 1
dataset:
  plugin: copy_task
  options: {{num_symbols: 4, min_length: 3, max_length: 3}}
model: {{d_model: 16, num_heads: 2, num_encoder_layers: 1, num_decoder_layers: 1, d_ff: 16}}
training:
  {{batch_size: 4, max_steps: {STEPS}, validate_every: 150, checkpoint_every: 500, num_threads: 1,
  snapshot_budget_mb: {SNAPSHOTS_MB}}}
"""


class Counts(NamedTuple):
    """What this process holds at one step."""

    step: int
    megabytes: float  # resident
    handles: int  # without those of `painting_threads`
    threads: int
    objects: int  # Qt's, with all their children
    items: int  # in all plots


def count(step: int) -> Counts:
    """Count what this process holds now, in all its windows."""
    known = [one for one in getAllValidWrappers() if isinstance(one, QObject)]
    roots = {one for one in (*QApplication.topLevelWidgets(), *known) if one.parent() is None}
    scenes = [view.scene() for root in roots for view in root.findChildren(QGraphicsView)]
    resident_pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Counts(
        step=step,
        megabytes=resident_pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
        handles=len(list(Path("/proc/self/fd").iterdir())) - painting_threads(),
        threads=threading.active_count(),
        objects=sum(1 + len(root.findChildren(QObject)) for root in roots),
        items=sum(len(scene.items()) for scene in scenes if scene is not None),
    )


def painting_threads() -> int:
    """The number of threads in Qt's pool, which draws large pictures: they come and go, each with a handle."""
    names = []
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # it has just ended
            names.append((thread / "comm").read_text())
    return names.count("Thread (pooled)\n")


def train(folder: Path) -> list[Counts]:
    """Train to the end with everything on screen; returns what was held every `EVERY` steps."""
    settings = folder / "small.yaml"
    settings.write_text(SETTINGS, encoding="utf-8")
    counted: list[Counts] = []
    with real_window(folder / "runs", folder / "cache") as (app, window):
        bridge = window.context.bridge

        def count_if_due(_: object) -> None:
            step = bridge.history.last_step
            if step >= EVERY * (len(counted) + 1):
                counted.append(count(step))
                print(row(counted[-1]), flush=True)

        def begin(prepared: Prepared) -> None:
            if prepared.run is None:
                window.context.workbench.learn()

        bridge.drained.connect(count_if_due)
        bridge.prepared.connect(begin)
        bridge.run_finished.connect(lambda _: QTimer.singleShot(1000, app.exit))
        window.setup_drawer.open_file(settings)
        app.exec()
    return counted


def growth(counted: Sequence[Counts]) -> float:
    """Megabytes in a thousand steps, after the warm-up."""
    steps, megabytes = zip(*((one.step, one.megabytes) for one in counted if one.step >= WARM_UP), strict=True)
    return 1000 * float(np.polyfit(steps, megabytes, 1)[0])


def missed_bounds(counted: Sequence[Counts], parts: Mapping[str, tuple[int, float]]) -> list[str]:
    """Every missed bound, in words. Qt's animations come and go: only what stays higher from then on has grown."""
    found = [f"{growth(counted):.2f} MB in a thousand steps"] if growth(counted) >= BOUND_MB else []
    steady = [one for one in counted if one.step >= WARM_UP]
    earlier, later = steady[: len(steady) // 4], steady[-len(steady) // 4 :]
    for field, name in NAMES.items():
        maximum, least = max(getattr(one, field) for one in earlier), min(getattr(one, field) for one in later)
        found += [f"{name}: {maximum} became {least}"] if least > maximum else []
    found += [f"{part}: {parts[part][0]} files" for part, maximum in MAX_FILES.items() if parts[part][0] > maximum]
    found += [f"{part}: {parts[part][1]:.1f} MB" for part, maximum in MAX_MB.items() if parts[part][1] > maximum]
    return found


def row(counts: Counts) -> str:
    """A line of the table, in Markdown."""
    step, megabytes, *numbers = counts
    return f"| {' | '.join((f'{step:,}', f'{megabytes:.1f}', *map(str, numbers)))} |"


def sizes(run: Path) -> dict[str, tuple[int, float]]:
    """The number of files and the megabytes of each part of a run's folder."""
    files = {part: [file for file in [run / part, *(run / part).rglob("*")] if file.is_file()] for part in PARTS}
    return {part: (len(found), sum(file.stat().st_size for file in found) / 1e6) for part, found in files.items()}


def main() -> int:
    """Print the table, the growth, and the size of the run's folder."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    print("| step | resident, MB | file handles | threads | Qt objects | plot items |\n|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        counted = train(Path(name))
        (run,) = (Path(name) / "runs").iterdir()
        parts = sizes(run)
    print(f"\n{growth(counted):.2f} MB in a thousand steps\n")
    for part, (files, megabytes) in parts.items():
        print(f"{part:15} {files:5,} files {megabytes:8.1f} MB")
    failures = missed_bounds(counted, parts)
    print("\nMISSED: " + "; ".join(failures) if failures else "\nkept")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
