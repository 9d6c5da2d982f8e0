"""The draft of the next run, the current run, and how they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.comparison.differences import changes_between
from core.config import RunConfig
from core.events import Prepared
from core.settings.overriding import change_setting, change_settings
from gui.bridge import EngineBridge
from gui.edit_validation import split_valid_edits
from gui.runs.rows import example_path


@dataclass(eq=False)
class RunHandle:
    """A current run: this object stays the same when the run is moved to another folder.

    `old_values` holds, by key, the old values of changes that the run refused after it was left.
    """

    path: Path
    old_values: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class RestorePoint:
    """The state to go back to if a request is refused; without the draft, which the user may go on editing."""

    applied: RunConfig | None
    draft_origin: RunConfig | None
    run_handle: RunHandle | None


class DraftAndRun(QObject):
    """The settings shown in the form, those the engine has, the run that has them, and the differences."""

    changed = Signal()  # any of these
    edited = Signal(object)  # the draft was edited: its new values, by key

    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__()
        self.draft: RunConfig | None = None  # as the form shows it
        self.draft_origin: RunConfig | None = None  # the preset or file that the draft began with, until it is prepared
        self.applied: RunConfig | None = None  # as the engine has it
        self.resolved: Prepared | None = None  # what the engine made of `applied`
        self.run_handle: RunHandle | None = None  # the current run; to recognise it when an answer arrives later
        self._bridge = bridge

    @property
    def run(self) -> Path | None:
        """The folder of the run that has begun or was opened; None before that."""
        return self.run_handle.path if self.run_handle is not None else None

    @run.setter
    def run(self, path: Path | None) -> None:
        """Make another run the current one, even if it is kept in the same folder."""
        self.run_handle = RunHandle(path) if path is not None else None

    def edit(self, key: str, value: object) -> None:
        """Change one key of the draft. Raises UserError if the value does not fit; the draft then stays as it was."""
        assert self.draft is not None
        self.draft = change_setting(self.draft, key, value)
        self.edited.emit({key: value})

    def apply_valid_edits(self, edits: Mapping[str, object]) -> dict[str, str]:
        """Change these keys of the draft, together or each that fits alone; returns why the others do not, by key."""
        assert self.draft is not None
        fitting, refused = split_valid_edits(edits, partial(change_settings, self.draft))
        if fitting:
            self.draft = change_settings(self.draft, fitting)
            self.edited.emit(fitting)
        return refused

    @property
    def is_other_config_waiting(self) -> bool:
        """Whether a preset or file other than the run's is waiting: a new run begins with it, untrained."""
        return self.draft_origin not in (None, self.applied)

    @property
    def is_example(self) -> bool:
        """Whether the run is the example shipped with Headlight, which is read-only."""
        return self.run == example_path()

    @property
    def is_shared(self) -> bool:
        """Whether the run was received as an archive: it can be viewed and branched, but cannot continue learning."""
        folder = self._bridge.history.folder
        return self.run is not None and folder is not None and folder.state.is_shared

    @property
    def new_branch_step(self) -> int | None:
        """The step at which a branch waits to take its first step; None if it has taken one, or is no branch."""
        history = self._bridge.history
        if self.run is None or history.folder is None or self.is_shared or self._bridge.state == "learning":
            return None
        step = history.folder.state.parent_step
        reached = max(history.last_step, *history.checkpoint_steps, 0)  # somebody may have deleted the curves
        return step if step is not None and reached <= step else None

    @property
    def branch_changes(self) -> dict[str, object]:
        """Settings, by key, that a branch of the run takes over: those that wait, or changed since its last step."""
        history = self._bridge.history
        changed = {one.key: one.value for one in history.settings_changed if one.step == history.last_step}
        if self.draft is None or self.applied is None:
            return changed
        return changed | changes_between(self.applied, self.draft)

    def restore_point(self) -> RestorePoint:
        """The state for `restore`, should the next request be refused."""
        return RestorePoint(self.applied, self.draft_origin, self.run_handle)

    def restore(self, point: RestorePoint) -> None:
        """Go back to a run that was not left after all; the draft waits for a new run."""
        self.applied, self.draft_origin, self.run_handle = point.applied, point.draft_origin, point.run_handle
        if self.run_handle is not None and self.applied is not None:
            self.applied = change_settings(self.applied, self.run_handle.old_values)
            self.run_handle.old_values.clear()
        self.changed.emit()
