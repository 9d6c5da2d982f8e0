"""Reads the chosen runs to compare them: losses, a table of differences, and each run's probe and validation.

Reading waits for a disk: `RunsReader.read` runs beside the GUI thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from core.comparison.records import comparison_records
from core.comparison.run_results import RunResults, read_units
from core.comparison.seeds import SeedGroup, seed_groups
from core.comparison.target_tokens import TargetTokens, groups_of_same_tokens
from core.errors import UserError
from core.events import SettingChanged, ValidatedSentence
from core.growing_run.growing_curve import GrowingCurve
from core.growing_run.metrics_tail import MetricsTail
from core.probes import Probe, ProbedSentence
from core.run_files import metrics_lines
from core.run_folder import RunFolder
from core.validation_size import ValidationSize
from gui.runs.rows import RunRow
from gui.runs.run_names import distinct_names
from gui.runs.seed_bands import Band, Curve, band_of
from gui.smoothing import smoothed

LETTERS = "ABCDEFGH"  # of several runs each has a letter as well as a colour
StepChoice = int | Literal["newest", "common"]  # a step; each run's own newest; or the newest that all runs have
Record = TypeVar("Record")


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """One run: its losses in nats per target token, those of training smoothed; a probe and a validation of it.

    `letter` is empty if it is the only run.
    """

    letter: str
    name: str
    training: Curve
    validation: Curve
    probe: Probe | None
    validated_at: int | None
    validated: tuple[ValidatedSentence, ...]

    @property
    def sentences(self) -> tuple[ProbedSentence, ...]:
        """The sentences of its probe."""
        return self.probe.sentences if self.probe is not None else ()

    @property
    def title(self) -> str:
        """Its letter, if any, and its name."""
        return f"{self.letter}  {self.name}" if self.letter else self.name


@dataclass(frozen=True, eq=False)
class ComparedGroup:
    """Several runs that differ in their seed alone; `indices` are their indices among all runs."""

    name: str
    indices: tuple[int, ...]
    training: Band
    validation: Band


class MeanAndDeviation(NamedTuple):
    """A figure over several runs. A number of sentences has no deviation, and a setting has neither: they are None."""

    mean: object
    deviation: object


@dataclass(frozen=True, eq=False)
class Comparison:
    """One run or several, and a table whose first row names the columns: one for each group, then one for each run.

    The rows have the names that the terminal shows, and values that are not yet formatted.
    """

    runs: tuple[ComparedRun, ...]
    groups: tuple[ComparedGroup, ...]
    table: tuple[tuple[object, ...], ...]
    chosen_step: StepChoice = "newest"  # the step of probes and validations
    steps: tuple[int, ...] = ()  # at which any of the runs was probed or validated, the newest first
    damaged: tuple[UserError, ...] = ()  # an error for each damaged probe or validation; it is left out
    same_tokens: tuple[tuple[int, ...], ...] = ()  # indices of runs whose losses are of the same target tokens

    def why_empty(self, kind: Literal["probed", "validated"]) -> str:
        """Why no run has anything to show, and where to look for something."""
        if self.chosen_step == "common":
            return f"These runs were {kind} at no step in common: choose one above, or each run's newest."
        none = f"{'None of these runs was' if len(self.runs) > 1 else 'This run was not'} {kind}"
        return (
            f"{none} yet."
            if self.chosen_step == "newest"
            else f"{none} at step {self.chosen_step:,}: choose another step above."
        )

    @property
    def ungrouped(self) -> list[int]:
        """The indices of the runs in no group."""
        grouped = {index for group in self.groups for index in group.indices}
        return [index for index in range(len(self.runs)) if index not in grouped]


class RunsReader:
    """Reads one run or several, and of a run read before only what was appended. Used by one thread at a time."""

    def __init__(self) -> None:
        self._caches: dict[Path, _RunCache] = {}

    def read(self, rows: Sequence[RunRow], at: StepChoice) -> Comparison:
        """Compare these runs, at most as many as there are letters. Raises UserError if one is damaged.

        If only a probe or a validation is damaged, it is left out: curves and settings do not need it.
        """
        folders = [RunFolder.open(row.path) for row in rows]
        self._caches = {row.path: self._caches.get(row.path) or _RunCache() for row in rows}
        known = [*self._caches.values()]
        for one, folder in zip(known, folders, strict=True):
            one.read_losses(folder)
        probed, validated = ([folder.probe_steps() for folder in folders], [one.validation_steps() for one in folders])
        steps = sorted({step for one in (*probed, *validated) for step in one}, reverse=True)
        looked_at = zip(steps_to_read(at, probed), steps_to_read(at, validated), strict=True)
        damaged: list[UserError] = []
        for one, folder, row, (probe_step, validation_step) in zip(known, folders, rows, looked_at, strict=True):
            one.read_probe_and_validation(folder, row, probe_step, validation_step)
            damaged += one.damaged
        names = zip(LETTERS if len(rows) > 1 else [""], distinct_names(rows), known, strict=False)
        runs = tuple(one.compared(letter, name) for letter, name, one in names)
        read = [one.results(folder) for one, folder in zip(known, folders, strict=True)]
        groups, same_tokens = seed_groups(read), groups_of_same_tokens([one.target_tokens for one in read])
        table, bands = _table(read, groups, runs), tuple(_compared_groups(groups, runs))
        return Comparison(runs, bands, table, at, tuple(steps), tuple(damaged), same_tokens)


class _RunCache:
    """What has been read of a run: its metrics so far, and the probe and validation last asked for."""

    def __init__(self) -> None:
        self._reset()
        self._last_read: tuple[RunRow, int | None, int | None] | None = None
        self.damaged: list[UserError] = []  # errors of a probe or validation that is left out
        self._validated: ValidationSize | None = None
        self._target_tokens: TargetTokens | None = None
        self._data: str | None = None

    def _reset(self) -> None:
        self._metrics = MetricsTail()
        self.training = GrowingCurve()
        self.validations: dict[int, dict[str, float]] = {}  # step -> metrics
        self.changed: list[SettingChanged] = []

    def read_losses(self, folder: RunFolder) -> None:
        """Read what was appended since the last time, or everything if the run was cut back."""
        if self._metrics.was_rewritten(folder):
            self._reset()
        records = self._metrics.read(folder)
        self.training.extend(
            [record["step"] for record in records.steps], metrics_lines.column(records.steps, "train/loss")
        )
        self.validations |= {record["step"]: metrics_lines.metrics_of(record) for record in records.validations}
        self.changed += metrics_lines.settings_of(records.settings)

    def read_probe_and_validation(
        self, folder: RunFolder, row: RunRow, probed: int | None, validated: int | None
    ) -> None:
        """Read the probe and the validation of these steps, unless nothing has changed since they were read."""
        wanted, damaged = (row, probed, validated), list[UserError]()
        if wanted != self._last_read:
            self._probe = _read_or_report(folder.probe, probed, damaged)
            sentences = _read_or_report(folder.validated_sentences, validated, damaged)
            self._sentences, self._validated_at = sentences or (), validated if sentences is not None else None
            self._last_read, self.damaged = wanted, damaged

    def results(self, folder: RunFolder) -> RunResults:
        """The run as the terminal compares it."""
        if self._validated is None:
            self._validated, self._target_tokens, self._data = read_units(folder)
        units = self._validated, self._target_tokens, self._data
        return RunResults(folder, folder.config(), self.validations, self.changed, *units)

    def compared(self, letter: str, name: str) -> ComparedRun:
        """The run as last read."""
        steps, values = self.training.arrays()
        losses = {step: one["valid/loss"] for step, one in sorted(self.validations.items())}
        return ComparedRun(
            letter=letter,
            name=name,
            training=(steps.astype(np.float64), smoothed(values)),
            validation=(np.array([*losses], np.float64), np.array([*losses.values()], np.float64)),
            probe=self._probe,
            validated_at=self._validated_at,
            validated=self._sentences,
        )


def _read_or_report(read: Callable[[int], Record], step: int | None, damaged: list[UserError]) -> Record | None:
    """What was kept at this step; None if there is nothing, or if it is damaged: `damaged` then gets the error."""
    try:
        return read(step) if step is not None else None
    except UserError as error:
        damaged.append(error)
        return None


def steps_to_read(at: StepChoice, known: Sequence[Sequence[int]]) -> list[int | None]:
    """For each run's ascending steps the one to look at, or None if it has no such step."""
    if at == "newest":
        return [steps[-1] if steps else None for steps in known]
    if at == "common":
        common = reduce(set.intersection, map(set, known))
        return [max(common, default=None)] * len(known)
    return [at if at in steps else None for steps in known]


def _table(
    read: Sequence[RunResults], groups: Sequence[SeedGroup], runs: Sequence[ComparedRun]
) -> tuple[tuple[object, ...], ...]:
    """The table of a comparison. Means come first, in columns and in rows: of five seeds they were out of sight.

    A column of means is headed by the letters of its runs.
    """
    records = comparison_records(read, groups)
    own, means, deviations = records[: len(runs)], records[len(runs) :: 2], records[len(runs) + 1 :: 2]
    letters = ["".join(runs[index].letter for index in group.indices) for group in groups]
    heads = [f"{of}  {mean['run']} ± deviation" for of, mean in zip(letters, means, strict=True)]
    left_out = {"run", "group"} if len(runs) > 1 else {"run"}
    names = [name for name in records[0] if name not in left_out]
    names.sort(key=lambda name: all(mean[name] is None for mean in means))
    rows = list[tuple[object, ...]]()
    for name in names:
        values, mean, deviation = ([record[name] for record in part] for part in (own, means, deviations))
        rows.append((name, *map(MeanAndDeviation, mean, deviation), *values))
    return (("", *heads, *(run.title for run in runs)), *rows)


def _compared_groups(groups: Sequence[SeedGroup], runs: Sequence[ComparedRun]) -> Iterator[ComparedGroup]:
    for group in groups:
        members = [runs[index] for index in group.indices]
        training, validation = [run.training for run in members], [run.validation for run in members]
        yield ComparedGroup(group.name, group.indices, band_of(training), band_of(validation))
