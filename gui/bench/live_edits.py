"""Applies edited settings to the current run once they are completely typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from core.comparison.differences import changes_between
from core.errors import RunNotWritable, UserError
from core.requests import ChangeSetting
from core.settings.fields import setting_effect
from core.settings.overriding import change_setting, change_settings
from gui.bench.draft_and_run import DraftAndRun, RunHandle
from gui.bridge import EngineBridge

APPLY_DELAY_MS = 2000  # after the last keystroke: the 2 of 2000 must not end the run at step 2, however slowly typed


@dataclass(eq=False)
class _RequestedChange:
    """A change of a run that was asked for, and what undoes it, by key: a setting may have switched its group on."""

    run_handle: RunHandle
    key: str
    old_values: dict[str, object]

    def undo_also(self, earlier: _RequestedChange) -> None:
        """Undo an earlier change with this one, after it: a group that the earlier one switched on ends off."""
        own = {key: value for key, value in self.old_values.items() if key not in earlier.old_values}
        self.old_values = own | earlier.old_values


class LiveEdits(QObject):
    """Holds edits until no key was pressed for `APPLY_DELAY_MS`, then has the engine make them."""

    due = Signal()
    refused = Signal(str)  # why the engine refused a change, for an error users can fix

    def __init__(self, bridge: EngineBridge, current: DraftAndRun) -> None:
        super().__init__(current)
        self._bridge = bridge
        self._current = current
        self._edits: dict[str, object] = {}
        self._pending: list[_RequestedChange] = []
        self._delay = QTimer(self, singleShot=True, interval=APPLY_DELAY_MS)
        self._delay.timeout.connect(self.due)

    def add(self, edits: Mapping[str, object]) -> None:
        """Hold those of the edits that can act during a run, in their order, and restart the delay.

        An edit of a group replaces those of the settings in it, which may not even fit any more.
        """
        for key, value in edits.items():
            if setting_effect(key) == "now":
                self._edits = {held: old for held, old in self._edits.items() if not f"{held}.".startswith(f"{key}.")}
                self._edits[key] = value
        self._delay.start()

    def restart_delay(self) -> None:
        """Wait for another delay: there is no run yet to apply the edits to."""
        self._delay.start()

    def end_delay(self) -> None:
        """End the delay now: Enter was pressed, or the field lost the focus."""
        if self._delay.isActive():
            self._delay.stop()
            self.due.emit()

    def includes(self, key: str) -> bool:
        """Whether an edit of this setting, or of the group it belongs to, is about to act."""
        return f"{key}.".startswith(tuple(f"{one}." for one in self._edits))

    def stop(self) -> None:
        """Stop the delay: the edits then act only with the next Learn."""
        self._delay.stop()

    def discard(self) -> None:
        """Drop the edits: the run they were meant for is left."""
        self._pop_all()

    def apply(self) -> None:
        """Have the engine change these settings of the run, between two of its steps."""
        values = self._pop_all()
        for key, value in values.items():
            self._change(key, value)
        if values:
            self._current.changed.emit()

    def _pop_all(self) -> dict[str, object]:
        """Return the held edits, and hold none any more."""
        self._delay.stop()
        values, self._edits = self._edits, {}
        return values

    def _change(self, key: str, value: object) -> None:
        before = self._current.applied
        assert before is not None
        self._current.applied = change_setting(before, key, value)
        if self._current.applied != before:
            handle = self._current.run_handle
            assert handle is not None
            change = _RequestedChange(handle, key, changes_between(self._current.applied, before))
            self._pending.append(change)
            revert, request = partial(self._revert, change), ChangeSetting(key=key, value=value)
            self._bridge.ask(request, lambda _: self._pending.remove(change), revert, revert)

    def _revert(self, change: _RequestedChange, error: Exception | None = None) -> None:
        """Note that the run still has the old value of this setting.

        A change that was cancelled (no `error`) or could not be written to disk is tried again with the next Learn;
        any other waits for a new run.
        """
        self._pending.remove(change)
        if error is not None:
            self._bridge.show_refusal(error)
        current = self._current
        for later in self._pending:
            if later.run_handle is change.run_handle and _overlap(later.key, change.key):
                later.undo_also(change)
                return
        if change.run_handle is not current.run_handle:
            change.run_handle.old_values |= change.old_values
            return
        assert current.applied is not None and current.draft is not None
        current.applied = change_settings(current.applied, change.old_values)
        if error is None or isinstance(error, RunNotWritable):
            for key, value in changes_between(current.applied, current.draft).items():
                if _overlap(key, change.key):
                    self._edits.setdefault(key, value)
        elif isinstance(error, UserError):
            self.refused.emit(error.sentence)
        current.changed.emit()


def _overlap(key: str, other: str) -> bool:
    """Whether these are the same setting, or one is a group that the other is in."""
    return f"{key}.".startswith(f"{other}.") or f"{other}.".startswith(f"{key}.")
