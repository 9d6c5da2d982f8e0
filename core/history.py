"""A run as the window sees it at any step: curves, validations, probes, kept weights. The model behind all panels.

It grows by events (`apply`), or is read from a run folder and follows what another process appends to it (`refresh`).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from core.analysis.alignment import AlignmentScores
from core.at_path import exists
from core.config import RunConfig
from core.errors import UserError
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
from core.growing_run.metrics_tail import MetricsTail
from core.growing_run.recent_cache import RecentCache
from core.notices.notice_tracker import NoticeTracker
from core.probes import Probe
from core.run_files import metrics_file
from core.run_files.documents import DamagedFile
from core.run_files.file_names import METRICS, STATE
from core.run_files.step_files import CHECKPOINTS, PROBES, SNAPSHOTS
from core.run_folder import RunFolder
from core.settings.over_time import config_at
from core.settings.overriding import change_setting

PROBES_IN_MEMORY = 48
VALIDATIONS_IN_MEMORY = 8
_EMPTY = GrowingCurve()
ValueT = TypeVar("ValueT")


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
        self.probe_steps: list[int] = []
        self._snapshot_steps: list[int] = []
        self._are_snapshots_listed = False  # whether they were listed since the last was saved
        self.checkpoint_steps: list[int] = []  # the run can go on from these
        self.alignment = AlignmentScores()
        self.notices = NoticeTracker()
        self._curves: defaultdict[str, GrowingCurve] = defaultdict(GrowingCurve)
        self._probes: RecentCache[Probe] = RecentCache(PROBES_IN_MEMORY)
        self._unstored_probes: dict[int, Probe] = {}  # which cannot be read again
        self._newest_probe_event: Probe | None = None
        self._validations: RecentCache[ValidationDone] = RecentCache(VALIDATIONS_IN_MEMORY)
        self._metrics = MetricsTail()
        self._probes_modified_at = 0
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

    def probe(self, step: int) -> Probe | None:
        """The newest probe at or before `step`; None if there is none yet."""
        index = bisect_right(self.probe_steps, step)
        if index and not self._has_probe(self.probe_steps[index - 1]):
            index = self._drop_removed_probes(index)
        if not index:
            return None
        nearest = self.probe_steps[index - 1]
        return self._cached_probe(nearest) or self._read_probe(nearest)

    def _has_probe(self, step: int) -> bool:
        return self._cached_probe(step) is not None or self._require_folder().has_probe(step)

    def _cached_probe(self, step: int) -> Probe | None:
        return self._unstored_probes.get(step) or self._probes.get(step)

    def _read_probe(self, step: int) -> Probe:
        """Read a probe and score it, so that a drawn probe is scored even before `analyse` gets to it."""
        probe = self._probes.put(step, self._require_folder().probe(step))
        if not self.alignment.has_step(step):
            self.alignment.add(probe)
        return probe

    def _drop_removed_probes(self, index: int) -> int:
        """Drop the last probes before this index that were cut off as the run went on (RunStarted follows).

        Returns the index after those that are left.
        """
        stored, end = set(self._require_folder().probe_steps()), index
        while index and not (self.probe_steps[index - 1] in stored or self._cached_probe(self.probe_steps[index - 1])):
            index -= 1
        del self.probe_steps[index:end]
        return index

    def newest_probe(self) -> Probe | None:
        """The newest probe that can be read; None if there is none."""
        return _newest_undamaged(self.probe_steps, self.probe)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The source texts that probes now follow; earlier probes may lack one that was added later."""
        newest = self._newest_probe_event or self.newest_probe()
        return tuple(one.source for one in newest.sentences) if newest is not None else ()

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
        return _newest_undamaged([step for step in kept if step in self.validations], self.validation)

    def validation(self, step: int) -> ValidationDone:
        """The validation at exactly this step, with its sentences. Raises UserError if they were thinned out."""
        known = self._validations.get(step)
        if known:
            return known
        done = ValidationDone(
            step=step,
            metrics=self.validations[step],
            sentences=self._require_folder().validated_sentences(step),
            is_best=step in self.best_steps,
        )
        return self._validations.put(step, done)

    def _require_folder(self) -> RunFolder:
        if self.folder is None:
            raise UserError("Nothing of this run is kept: it has no folder yet.")
        return self.folder

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
        for _ in zip_longest(self._score_alignments(), self.notices.check_new(self)):
            yield

    def _score_alignments(self) -> Iterator[None]:
        unread = self.alignment.unread
        while unread:
            with suppress(UserError):  # a damaged probe is reported where it is drawn; the others count
                self.probe(unread.popleft())
            yield

    # -- growing by events -------------------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Take in one of the engine's events; other kinds change nothing."""
        match event:
            case StepsDone():
                self._add_steps(event.first_step, event.arrays)
            case ProbeDone():
                self._add_probe(event.probe, event.is_stored)
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

    def _add_steps(self, first_step: int, arrays: metrics_file.Arrays) -> None:
        count = len(next(iter(arrays.values()), ()))
        self._extend(np.arange(first_step, first_step + count), arrays)
        self.last_step = first_step + count - 1

    def _extend(self, steps: Steps, arrays: metrics_file.Arrays) -> None:
        for name, values in arrays.items():
            self._curves[name].extend(steps, values)

    def _add_probe(self, probe: Probe, is_stored: bool) -> None:
        self._newest_probe_event = probe
        self.alignment.add(probe)
        self._unstored_probes.pop(probe.step, None)
        if probe.step not in self.probe_steps:
            self.probe_steps.insert(bisect_right(self.probe_steps, probe.step), probe.step)
        if is_stored:
            self._probes.put(probe.step, probe)
        else:
            self._unstored_probes[probe.step] = probe

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
        for curve in self._curves.values():
            curve.truncate_after(step)
        # The folder has lost what was made of `step` after its checkpoint; only that step is read, in any long run.
        lines = metrics_file.records_of_step(run / METRICS, step)
        is_validated = any("is_best" in line for line in lines)
        settings = metrics_file.settings_of([line for line in lines if "setting" in line])
        if not is_validated:
            for name in self.validations.get(step, ()):
                self._curves[name].truncate_after(step - 1)
        kept = [known for known in self.validations if known < step or (known == step and is_validated)]
        self.validations = {known: self.validations[known] for known in kept}
        self.best_steps = {known: changes for known, changes in self.best_steps.items() if known in kept}
        self.settings_changed = [*(known for known in self.settings_changed if known.step < step), *settings]
        self.probe_steps = [known for known in self.probe_steps if known <= step]
        self.alignment.truncate_after(step)
        self.notices.truncate_after(step)
        self.last_step = step
        self._are_snapshots_listed = False
        self._list_checkpoints()

    def _list_checkpoints(self) -> None:
        self.checkpoint_steps = self._require_folder().checkpoint_steps()

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
        folder = self._require_folder()
        before, settings_before = self._folder_stamp, list(self.settings_changed)
        # First: what is written while the folder is read may be missed, and is then new the next time.
        modified_at = {name: _modified_at(folder.path / name) for name in (PROBES, SNAPSHOTS, CHECKPOINTS, STATE)}
        if self._metrics.was_rewritten(folder):
            self._reset_run()
        self.state = folder.reread_state().state
        self._read_new_records(folder)
        if self.prepared is not None and before and self.settings_changed != settings_before:
            self.prepared = replace(self.prepared, config=self.config_at(math.inf))
        probes = folder.probe_steps()
        if probes != self.probe_steps or modified_at[PROBES] != self._probes_modified_at:  # or a sentence was added
            self._probes.clear()
        self.alignment.unread.extend(sorted(set(probes) - set(self.probe_steps)))
        self.probe_steps, self._probes_modified_at = probes, modified_at[PROBES]
        self._are_snapshots_listed = False
        self._list_checkpoints()
        self._folder_stamp = (*self._metrics.position, *modified_at.values())
        return self._folder_stamp != before

    def _read_new_records(self, folder: RunFolder) -> None:
        records = self._metrics.read(folder)
        steps, arrays = metrics_file.columns(records.steps)
        if len(steps):
            self._extend(steps, arrays)
            self.last_step = int(steps[-1])
        for record in records.between_steps:
            if "is_best" in record:
                self._add_validation(record["step"], metrics_file.metrics_of(record), record["is_best"])
            else:
                self.settings_changed += metrics_file.settings_of([record])


def _newest_undamaged(steps: Sequence[int], read: Callable[[int], ValueT | None]) -> ValueT | None:
    """The newest of these ascending steps that is not damaged; a damaged one is reported where it is drawn."""
    for step in steps[::-1]:
        with suppress(DamagedFile):
            return read(step)
    return None


def _modified_at(path: Path) -> int:
    return path.stat().st_mtime_ns if exists(path) else 0  # a run copied by git or zip lacks empty folders
