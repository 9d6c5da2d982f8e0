"""The engine's current run: its trainer, its folder once it has begun, and its newest metrics."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.config import RunConfig
from core.errors import RunGone, UserError
from core.events import (
    Event,
    FinishReason,
    Prepared,
    ProbeDone,
    RunFinished,
    RunStarted,
    SettingChanged,
    StepsDone,
    Trouble,
    ValidationDone,
)
from core.faults import folder_gone_message
from core.generators import map_yielded
from core.prepared import prepared_event
from core.resuming import claimed_for_resuming, resumable_steps
from core.run_files.runs_dir import is_gone, require_disk_space
from core.run_folder import RunFolder
from core.serving.job import Work
from core.serving.new_folder import required_bytes
from core.settings.overriding import change_setting
from core.training.auto_precision.choice import imitation_warning
from core.training.trainer import Trainer


class CurrentRun:
    """A run that is prepared, training, or opened. Events that no generator here yields go to `emit`."""

    def __init__(
        self,
        trainer: Trainer,
        emit: Callable[[Event], None],
        folder: RunFolder | None = None,
        changes: tuple[tuple[str, object], ...] = (),
        picked: str = "",
    ) -> None:
        self.trainer = trainer
        self.folder = folder
        self.picked = ", ".join(filter(None, [imitation_warning(trainer.config.training), picked]))  # see `Prepared`
        self.is_ours = False  # whether this process writes the folder
        self.interrupted_by: FinishReason | None = None  # why it was interrupted, until it goes on or is moved
        self.pending_changes = changes  # to be made when an opened run goes on
        self._last_metrics: dict[str, float] = {}
        self._validated_step = -1
        self._probed_step = -1
        self._emit = emit

    @property
    def config(self) -> RunConfig:
        """The current config, with the changes that an opened run will write down when it goes on."""
        config = self.trainer.config
        for key, value in self.pending_changes:
            config = change_setting(config, key, value)
        return config

    def prepared_event(self) -> Prepared:
        """The event that describes this run to listeners."""
        run = self.folder.path if self.folder is not None else None
        return prepared_event(self.trainer.initial_config, self.config, self.trainer.data, run, self.picked)

    def finished_event(self, reason: FinishReason) -> RunFinished:
        """The event for the end of this run, or for an interruption."""
        path = self.require_folder().path
        return RunFinished(run=path, step=self.trainer.step, reason=reason, metrics=dict(self._last_metrics))

    def is_in(self, path: Path) -> bool:
        """Whether this is the run in that folder."""
        return self.folder is not None and self.folder.path == path

    def require_folder(self) -> RunFolder:
        """The run's folder. Raises UserError if the run has not begun."""
        if self.folder is None:
            raise UserError("This run has not begun: nothing of it is kept yet.", "Press Learn first.")
        return self.folder

    def begin(self, folder: RunFolder) -> None:
        """Write this folder from now on: a new one, or one with all that the previous folder held."""
        self.trainer.attach_folder(folder)
        self.interrupted_by = None
        self._attach_folder(folder)
        self._apply_changes()

    def claim(self) -> RunFolder:
        """Make this process the one that writes the run; from an opened run, cut off what came after its checkpoint."""
        if self.folder is None:
            raise UserError("This run has no folder yet.", "Start it first.")
        stopped_early = self.folder.state.reason == "early_stopping"
        if not self.is_ours:
            self.require_resumable()
            require_disk_space(self.folder.path, required_bytes(self.trainer))
            with claimed_for_resuming(self.folder):
                self.trainer.truncate_run(self.folder)
                self._restore_last_validation(self.folder)
            self._attach_folder(self.folder)
        self._apply_changes()
        if stopped_early:  # otherwise patience would end it again before its first step
            self.trainer.renew_patience()
            self._emit(self.trainer.save_checkpoint())  # or a crash before the next one would forget it
        return self.folder

    def _restore_last_validation(self, folder: RunFolder) -> None:
        """If the run is at a validated step, note that, so that it can end there without another validation.

        Not if settings are to change: a run judged by another metric has no best yet.
        """
        metrics = folder.validation_metrics().get(self.trainer.step)
        if metrics is not None and not self.pending_changes:
            self._validated_step, self._last_metrics = self.trainer.step, dict(metrics)

    def _attach_folder(self, folder: RunFolder) -> None:
        self.folder, self.is_ours = folder, True
        self._emit(RunStarted(run=folder.path, step=self.trainer.step))

    def _apply_changes(self) -> None:
        """Make the changes asked of the opened run; one that a full disk prevents stays pending."""
        while self.pending_changes:
            self._emit(self.trainer.change(*self.pending_changes[0]))
            self.pending_changes = self.pending_changes[1:]

    def complete(self) -> Work:
        """Give the last step of a run that went well its probe, validation and checkpoint."""
        yield from self.recording(self.trainer.flush())
        self.probe_current_step()
        if self._validated_step != self.trainer.step:
            done = yield from self.recording(self.trainer.validate())
            self.record(done)
            yield done
        if not self.trainer.is_saved:
            yield self.trainer.save_checkpoint()

    def require_resumable(self) -> None:
        """Raise UserError if this run, which another process may write by now, cannot go on from its step."""
        folder = self.require_folder()
        if is_gone(folder.path):
            raise RunGone(*folder_gone_message(folder.path))
        if folder.is_replaced():
            raise RunGone(f"Another run has taken the place of {folder.path}.", "Open it to see that one.")
        folder.require_no_writer()
        if folder.state.is_shared:
            raise UserError(
                "A shared run has no optimizer state to continue with.",
                "Resume the run that it was made from; or open it in the window, from the runs folder: “Continue from "
                "…” begins a run of your own with its weights.",
            )
        if self.trainer.averaged_steps:
            raise UserError(
                "The mean of several checkpoints cannot continue learning.", "Open the run at its last checkpoint."
            )
        if self.trainer.data.replaced_splits:
            raise UserError("A run with other held-out pairs cannot continue learning.", "Open the run with its own.")
        later = [one for one in resumable_steps(folder) if one > self.trainer.step]
        if newer := [one for one in later if folder.is_checkpoint_intact(one)]:
            raise UserError(
                f"This is the run at step {self.trainer.step:,}; its last checkpoint is of step {max(newer):,} by now, "
                "and only that can continue learning.",
                "Open the run again, at its last checkpoint (in the window: Runs, Open).",
            )
        self.trainer.data.require_pairs()

    def change_setting(self, key: str, value: Any) -> None:
        """Change a setting from the next step on; in a run that this process does not write, once it goes on."""
        self.require_folder()
        if self.is_ours:
            self._apply_changes()  # otherwise a pending one would be made after this one
            self._emit(self.trainer.change(key, value))
        else:
            self.trainer.require_changeable(key, value)
            self.pending_changes = (*self.pending_changes, (key, value))
            self._emit(SettingChanged(step=self.trainer.step, key=key, value=value))

    # -- events --------------------------------------------------------------------------------------------------------

    def probe_current_step(self) -> None:
        """Probe the step at which training pauses, whether or not it is a probe step, and store the probe."""
        if self._probed_step != self.trainer.step:
            probe = self.trainer.probe()
            self.require_folder().write_probe(probe)
            self._probed_step = self.trainer.step
            self._emit(ProbeDone(probe=probe))

    def flush(self) -> None:
        """Write and emit the metrics of the last steps."""
        self.emit_all(self.recording(self.trainer.flush()))

    def emit_all(self, work: Work) -> None:
        """Do all of this work at once, and emit the events it yields."""
        for event in work:
            if event is not None:
                self._emit(event)

    def recording(self, work: Work) -> Work:
        """Pass on what the trainer yields, and remember the metrics for the end of the run."""
        return map_yielded(work, self.record)

    def record(self, event: Event | None) -> Event | None:
        """Remember the metrics of an event; write the cause to the log if it is a Trouble. Returns the event."""
        if isinstance(event, ProbeDone):
            self._probed_step = event.probe.step
        elif isinstance(event, ValidationDone):
            self._validated_step = event.step
            self._last_metrics |= event.metrics
        elif isinstance(event, StepsDone):
            self._last_metrics |= {name: float(values[-1]) for name, values in event.arrays.items() if name != "time"}
        elif isinstance(event, Trouble):
            with contextlib.suppress(OSError):  # the disk is full
                self.require_folder().log(event.sentence)
        return event
