"""What the person is about to train and what is being trained."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.comparison.differences import differing_settings
from core.config import RunConfig
from core.events import Prepared
from gui.bridge import EngineBridge
from gui.runs.rows import example_path


@dataclass(frozen=True)
class Before:
    """What was at hand as something else was asked for: all but the draft, which is edited on."""

    applied: RunConfig | None
    taken: RunConfig | None
    run: Path | None


class AtHand(QObject):
    """The settings as the form shows them, those of the engine, the run that has them, and how they differ."""

    changed = Signal()  # any of that

    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__()
        self.draft: RunConfig | None = None  # as the form shows it
        self.taken: RunConfig | None = None  # the preset or file that the draft began with, while it waits
        self.applied: RunConfig | None = None  # as the engine has it
        self.resolved: Prepared | None = None  # what the engine made of it
        self.run: Path | None = None
        self._bridge = bridge

    @property
    def is_another_taken(self) -> bool:
        """Whether another preset or file than the run's waits: a new run begins with that, untrained."""
        return self.taken not in (None, self.applied)

    @property
    def is_example(self) -> bool:
        """Whether the run is the one that Headlight brings along, which nobody writes."""
        return self.run == example_path()

    @property
    def is_shared(self) -> bool:
        """Whether the run was received in one file: it can be looked at, and branched."""
        folder = self._bridge.history.folder
        return self.run is not None and folder is not None and folder.state.is_shared

    @property
    def begins_at(self) -> int | None:
        """The step at which the run, a branch, stands to take its first; None where it has, and of all others."""
        history = self._bridge.history
        if self.run is None or history.folder is None or self.is_shared or self._bridge.state == "learning":
            return None
        step = history.folder.state.parent_step
        reached = max(history.last_step, *history.checkpoint_steps, 0)  # somebody may have deleted the curves
        return step if step is not None and reached <= step else None

    @property
    def changes_to_take(self) -> dict[str, object]:
        """Settings, by key, that a branch of the run takes along: those that wait, or changed since its last step."""
        history = self._bridge.history
        changed = {one.key: one.value for one in history.settings_changed if one.step == history.last_step}
        if self.draft is None or self.applied is None:
            return changed
        waiting = differing_settings((self.applied, self.draft))
        return changed | {key: values[1] for key, values in waiting.items()}

    def before(self) -> Before:
        """For `go_back`, where what is asked for now is refused."""
        return Before(self.applied, self.taken, self.run)

    def go_back(self, before: Before) -> None:
        """It was not left; the draft waits for a new run."""
        self.applied, self.taken, self.run = before.applied, before.taken, before.run
        self.changed.emit()
