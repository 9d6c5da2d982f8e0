"""A run as the window sees it at any step: curves, validations, probes, kept weights. The model behind all panels.

It grows by events (`apply`), or is read from a run folder and follows what another process appends to it (`refresh`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.at_path import exists
from core.config import RunConfig
from core.events import (
    CheckpointSaved,
    Event,
    Prepared,
    ProbeDone,
    RunFinished,
    RunStarted,
    SettingChanged,
    SnapshotSaved,
    StateChanged,
    StepsDone,
    ValidationDone,
)
from core.growing_run.growing_curve import GrowingCurve, Steps, Values
from core.growing_run.growing_probes import GrowingProbes
from core.growing_run.kept_files import newest_undamaged, require_folder
from core.growing_run.metrics_tail import MetricsTail
from core.growing_run.recent_cache import RecentCache
from core.notices.notice_tracker import NoticeTracker
from core.run_files import metrics_lines
from core.run_files.file_names import STATE
from core.run_files.step_files import CHECKPOINTS, PROBES, SNAPSHOTS
from core.run_folder import RunFolder
from core.settings.over_time import config_at
from core.settings.overriding import change_setting

VALIDATIONS_IN_MEMORY = 8
_EMPTY = GrowingCurve()


class MetricAt(NamedTuple):
    """A metric's value, and the step it is of."""

    step: int
    value: float


class History:
    """What happened in one run so far. Used by one thread at a time; holds numpy and plain Python only."""

    def __init__(self) -> None:
        self.prepared: Prepared | None = None  # its config has the settings changed since
        self.folder: RunFolder | None = None
        self.finished: RunFinished | None = None
        self.state = "empty"  # an EngineState when fed by events, a state of run.json when read from a folder
        self._initial: RunConfig | None = None  # what the run began with, before any change
        self._reset_run()

    def _reset_run(self) -> None:
        self.last_step = 0
        self.validations: dict[int, dict[str, float]] = {}  # step -> metrics, ascending
        self.best_steps: dict[int, int] = {}  # best so far: step -> how many settings were changed before
        self.settings_changed: list[SettingChanged] = []
        self._snapshot_steps: list[int] = []
        self._are_snapshots_listed = False  # whether they were listed since the last was saved
        self.checkpoint_steps: list[int] = []  # the run can go on from these
        self.probes = GrowingProbes()
        self.notices = NoticeTracker()
        self._curves: defaultdict[str, GrowingCurve] = defaultdict(GrowingCurve)
        self._validations: RecentCache[ValidationDone] = RecentCache(VALIDATIONS_IN_MEMORY)
        self._metrics = MetricsTail()
        self._folder_stamp: tuple[int, ...] = ()  # what shows that a folder has changed

    # -- reading -----------------------------------------------------------------------------------------------------

    @property
    def metric_names(self) -> list[str]:
        """The metrics that have a curve, in the order in which they first came."""
        return [name for name, curve in self._curves.items() if len(curve)]

    def curve(self, name: str) -> tuple[Steps, Values]:
        """Steps and values of a metric so far, [N] each; empty if there are none."""
        return self._curves.get(name, _EMPTY).arrays()

    def value(self, name: str, step: int) -> float | None:
        """A metric's value at `step`, or at the nearest earlier step that has one."""
        newest = self.newest_value(name, step)
        return None if newest is None else newest.value

    def newest_value(self, name: str, step: int) -> MetricAt | None:
        """As `value`, with the step it is of."""
        steps, values = self.curve(name)
        index = int(np.searchsorted(steps, step, side="right"))
        return MetricAt(int(steps[index - 1]), float(values[index - 1])) if index else None

    @property
    def effective_changes(self) -> list[SettingChanged]:
        """The changes of settings that took effect, in order, including those that a branch began with.

        If a setting was changed more than once between two steps, only the last value took effect.
        """
        began_with = self.folder.state.began_with if self.folder is not None else ()
        changes = sorted((*began_with, *self.settings_changed), key=lambda changed: changed.step)
        return list({(changed.step, changed.key): changed for changed in changes}.values())

    def config_at(self, step: float) -> RunConfig:
        """The settings with which this step was taken, whatever was changed after it; those of now at infinity.

        In the past that a branch has of another run, settings that need a new run have the branch's own values.
        """
        assert self._initial is not None  # the run was prepared, or read
        return config_at(self._initial, self.settings_changed, step)

    def best_metric_at(self, step: int) -> tuple[str, int]:
        """The metric by which the validation at `step` was the best, and the step since which it is used; 0: from the
        start.

        Branching off, and choosing another metric, starts the search anew: earlier validations are not compared with
        later ones.
        """
        assert self._initial is not None  # the run was prepared, or read
        began = (self.folder.state.parent_step if self.folder is not None else None) or 0
        metric, since = self._initial.training.best_metric, began if step > began else 0
        for changed in self.settings_changed[: self.best_steps[step]]:
            if changed.key == "training.best_metric" and changed.value != metric:
                metric, since = str(changed.value), max(since, changed.step)
        return metric, since

    def newest_validation(self) -> ValidationDone | None:
        """The newest validation whose sentences are kept and can be read; None if there is none."""
        kept = self.folder.validation_steps() if self.folder is not None else []
        return newest_undamaged([step for step in kept if step in self.validations], self.validation)

    def validation(self, step: int) -> ValidationDone:
        """The validation at exactly this step, with its sentences. Raises UserError if they were thinned out."""
        known = self._validations.get(step)
        if known:
            return known
        done = ValidationDone(
            step=step,
            metrics=self.validations[step],
            sentences=require_folder(self.folder).validated_sentences(step),
            is_best=step in self.best_steps,
        )
        return self._validations.put(step, done)

    @property
    def snapshot_steps(self) -> list[int]:
        """Steps whose weights are kept, ascending.

        Listed only on request: one is saved ten times as often, and a listing takes a millisecond.
        """
        if self.folder is not None and not self._are_snapshots_listed:
            self._are_snapshots_listed = True
            self._snapshot_steps = self.folder.snapshot_steps()
        return self._snapshot_steps

    @property
    def kept_steps(self) -> list[int]:
        """Steps whose weights are kept, ascending, as a snapshot or a checkpoint."""
        return sorted({*self.snapshot_steps, *self.checkpoint_steps})

    # -- looking at what is new --------------------------------------------------------------------------------------

    def analyse(self) -> Iterator[None]:
        """Score new alignments, and look for notices; yields after each probe, and may be abandoned at any yield."""
        # Side by side, so that each probe is read once for both.
        for _ in zip_longest(self.probes.score_unread(), self.notices.check_new(self)):
            yield

    # -- growing by events -------------------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Take in one of the engine's events; other kinds change nothing."""
        match event:
            case StepsDone():
                self._add_steps(event.first_step, event.arrays)
            case ProbeDone():
                self.probes.add(event.probe, is_stored=event.is_stored)
            case ValidationDone():
                self._add_validation(event.step, event.metrics, event.is_best)
                self._validations.put(event.step, event)
            case SettingChanged():
                self._add_setting(event)
            case StateChanged():
                self.state, self.last_step = event.state, max(event.step, self.last_step)
            case SnapshotSaved():
                self._are_snapshots_listed = False
            case CheckpointSaved():
                self._list_checkpoints()
            case Prepared() | RunStarted() | RunFinished():
                self._apply_run(event)

    def _apply_run(self, event: Prepared | RunStarted | RunFinished) -> None:
        match event:
            case Prepared(run=None):
                self.folder, self.finished, self.prepared = None, None, event
                self._initial = event.config
                self._reset_run()
            case Prepared():
                self.finished, self.prepared = None, event
                self._open(event.run)
            case RunStarted():
                self._continue_from(event.run, event.step)
            case RunFinished():
                self.finished = event

    def _add_steps(self, first_step: int, arrays: metrics_lines.Arrays) -> None:
        count = len(next(iter(arrays.values()), ()))
        self._extend(np.arange(first_step, first_step + count), arrays)
        self.last_step = first_step + count - 1

    def _extend(self, steps: Steps, arrays: metrics_lines.Arrays) -> None:
        for name, values in arrays.items():
            self._curves[name].extend(steps, values)

    def _add_validation(self, step: int, metrics: dict[str, float], is_best: bool) -> None:
        self.validations[step] = metrics
        if is_best:
            self.best_steps[step] = len(self.settings_changed)
        for name, value in metrics.items():
            self._curves[name].extend([step], [value])

    def _add_setting(self, changed: SettingChanged) -> None:
        self.settings_changed.append(changed)
        if self.prepared is not None:
            config = change_setting(self.prepared.config, changed.key, changed.value)
            self.prepared = replace(self.prepared, config=config)

    def _continue_from(self, run: Path, step: int) -> None:
        """Continue with this folder from `step` on; everything after it belongs to a past that was cut off."""
        self.folder, self.finished = RunFolder.open(run), None
        # The folder has lost what was made of `step` after its checkpoint; only that step is read, in any long run.
        lines = self.folder.metrics_file.records_of_step(step)
        settings = metrics_lines.settings_of([line for line in lines if "setting" in line])
        self.settings_changed = [*(known for known in self.settings_changed if known.step < step), *settings]
        for curve in self._curves.values():
            curve.truncate_after(step)
        self._truncate_validations(step, is_kept=any("is_best" in line for line in lines))
        self.probes.continue_in(self.folder, step)
        self.notices.truncate_after(step)
        self.last_step = step
        self._are_snapshots_listed = False
        self._list_checkpoints()

    def _truncate_validations(self, step: int, *, is_kept: bool) -> None:
        """Forget the validations after `step`, and its own unless that is kept."""
        if not is_kept:
            for name in self.validations.get(step, ()):
                self._curves[name].truncate_after(step - 1)
        kept = [known for known in self.validations if known < step or (known == step and is_kept)]
        self.validations = {known: self.validations[known] for known in kept}
        self.best_steps = {known: changes for known, changes in self.best_steps.items() if known in kept}

    def _list_checkpoints(self) -> None:
        self.checkpoint_steps = require_folder(self.folder).checkpoint_steps()

    # -- reading a folder --------------------------------------------------------------------------------------------

    @classmethod
    def read(cls, folder: RunFolder) -> History:
        """The history in a run folder. Raises UserError, naming the file, if one is damaged."""
        history = cls()
        history._open(folder.path)
        return history

    def _open(self, run: Path | None) -> None:
        assert run is not None
        self.folder = RunFolder.open(run)
        self._initial = self.folder.config()
        self._reset_run()
        self.refresh()

    def refresh(self) -> bool:
        """Read what was appended since the last time; returns whether anything changed."""
        folder = require_folder(self.folder)
        before, settings_before = self._folder_stamp, list(self.settings_changed)
        # First: what is written while the folder is read may be missed, and is then new the next time.
        modified_at = {name: _modified_at(folder.path / name) for name in (PROBES, SNAPSHOTS, CHECKPOINTS, STATE)}
        if self._metrics.was_rewritten(folder):
            self._reset_run()
        self.state = folder.reread_state().state
        self.probes.list_stored(folder, modified_at[PROBES])
        self._are_snapshots_listed = False
        self._list_checkpoints()
        self._read_new_records(folder)  # last: if they are damaged, the probes of an opened run are seen all the same
        if self.prepared is not None and before and self.settings_changed != settings_before:
            self.prepared = replace(self.prepared, config=self.config_at(math.inf))
        self._folder_stamp = (*self._metrics.position, *modified_at.values())
        return self._folder_stamp != before

    def _read_new_records(self, folder: RunFolder) -> None:
        records = self._metrics.read(folder)
        steps, arrays = metrics_lines.columns(records.steps)
        if len(steps):
            self._extend(steps, arrays)
            self.last_step = int(steps[-1])
        for record in records.between_steps:
            if "is_best" in record:
                self._validations.clear()  # it may have been made again, after a setting was changed
                self._add_validation(record["step"], metrics_lines.metrics_of(record), record["is_best"])
            else:
                self.settings_changed += metrics_lines.settings_of([record])


def _modified_at(path: Path) -> int:
    return path.stat().st_mtime_ns if exists(path) else 0  # a run copied by git or zip lacks empty folders
