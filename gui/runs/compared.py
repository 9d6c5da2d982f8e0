"""Several runs read to be compared: losses, a table of what differs, and what each made of the same sentences.

Reading waits for a disk: `read_compared` runs beside the GUI thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.comparison.runs import records_of, said
from core.events import ValidatedSentence
from core.probes import Probe, ProbedSentence
from core.run_folder import RunFolder
from gui.runs.rows import name_of
from gui.runs.seed_bands import Band, Curve, band_of
from gui.smoothing import smoothed

LETTERS = "ABCDEFGH"  # a run is told by its letter as well as by its colour


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """One run: its losses in nats per target token, those of training smoothed; its newest probe and validation."""

    letter: str
    name: str
    training: Curve
    validation: Curve
    probe: Probe | None
    validated_at: int | None
    validated: tuple[ValidatedSentence, ...]

    @property
    def sentences(self) -> tuple[ProbedSentence, ...]:
        """Those of its newest probe."""
        return self.probe.sentences if self.probe is not None else ()


@dataclass(frozen=True, eq=False)
class ComparedGroup:
    """Several runs that differ in their seed alone; `places` are theirs among all."""

    name: str
    places: tuple[int, ...]
    training: Band
    validation: Band


@dataclass(frozen=True, eq=False)
class Comparison:
    """The runs, and a table whose first row names the columns: a column a run, and two a group of several."""

    runs: tuple[ComparedRun, ...]
    groups: tuple[ComparedGroup, ...]
    table: tuple[tuple[str, ...], ...]

    @property
    def alone(self) -> list[int]:
        """The places of the runs of no group."""
        grouped = {place for group in self.groups for place in group.places}
        return [place for place in range(len(self.runs)) if place not in grouped]


def read_compared(paths: Sequence[Path]) -> Comparison:
    """Read as many runs as there are letters, at the most. Raises UserError where one is damaged."""
    folders = [RunFolder.open(path) for path in paths]
    records = records_of(folders)
    runs = tuple(_read(letter, folder) for letter, folder in zip(LETTERS, folders, strict=False))
    heads = [*(f"{run.letter}  {run.name}" for run in runs), *(str(record["run"]) for record in records[len(runs) :])]
    rows = ((name, *(said(record[name]) for record in records)) for name in records[0] if name != "run")
    return Comparison(runs, tuple(_groups(folders, runs)), (("", *heads), *rows))


def _groups(folders: Sequence[RunFolder], runs: Sequence[ComparedRun]) -> Iterator[ComparedGroup]:
    """Those of which several runs are here."""
    for name in dict.fromkeys(folder.state.group for folder in folders if folder.state.group):
        places = tuple(place for place, folder in enumerate(folders) if folder.state.group == name)
        if len(places) > 1:
            members = [runs[place] for place in places]
            training, validation = ([getattr(run, kind) for run in members] for kind in ("training", "validation"))
            yield ComparedGroup(name, places, band_of(training), band_of(validation))


def _read(letter: str, folder: RunFolder) -> ComparedRun:
    steps, metrics = folder.metrics()
    losses = {step: one["valid/loss"] for step, one in sorted(folder.validation_metrics().items())}
    probed, validated = folder.probe_steps(), folder.validation_steps()
    return ComparedRun(
        letter=letter,
        name=name_of(folder),
        training=(steps.astype(np.float64), smoothed(metrics.get("train/loss", np.empty(0)))),
        validation=(np.array([*losses], np.float64), np.array([*losses.values()], np.float64)),
        probe=folder.probe(probed[-1]) if probed else None,
        validated_at=validated[-1] if validated else None,
        validated=folder.validated_sentences(validated[-1]) if validated else (),
    )
