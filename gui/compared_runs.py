"""Several runs read to be compared: their losses, and a table of what differs.

Reading waits for a disk: `read_compared` runs beside the GUI thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.run_comparison import records_of, said
from core.run_folder import RunFolder
from gui.smoothing import smoothed

Curve = tuple[NDArray[np.float64], NDArray[np.float64]]  # steps and values, [N] each
LETTERS = "ABCDEFGH"  # a run is told by its letter as well as by its colour


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """The losses of one run, in nats per target token; those of training smoothed."""

    letter: str
    name: str
    training: Curve
    validation: Curve


@dataclass(frozen=True, eq=False)
class Comparison:
    """The runs, and a table whose first row names the columns: a column a run, and two a group of several."""

    runs: tuple[ComparedRun, ...]
    table: tuple[tuple[str, ...], ...]


def read_compared(paths: Sequence[Path]) -> Comparison:
    """Read as many runs as there are letters, at the most. Raises UserError where one is damaged."""
    folders = [RunFolder.open(path) for path in paths]
    records = records_of(folders)
    letters = [*LETTERS[: len(folders)], *[""] * (len(records) - len(folders))]
    heads = (f"{letter}  {record['run']}".strip() for letter, record in zip(letters, records, strict=True))
    rows = ((name, *(said(record[name]) for record in records)) for name in records[0] if name != "run")
    runs = tuple(_read(letter, folder) for letter, folder in zip(LETTERS, folders, strict=False))
    return Comparison(runs, (("", *heads), *rows))


def _read(letter: str, folder: RunFolder) -> ComparedRun:
    steps, metrics = folder.metrics()
    losses = {step: one["valid/loss"] for step, one in sorted(folder.validation_metrics().items())}
    return ComparedRun(
        letter=letter,
        name=folder.path.name,
        training=(steps.astype(np.float64), smoothed(metrics.get("train/loss", np.empty(0)))),
        validation=(np.array([*losses], np.float64), np.array([*losses.values()], np.float64)),
    )
