"""Applies edited settings to the current run once they are completely typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial, reduce

from PySide6.QtCore import QObject, QTimer, Signal

from core.config import RunConfig
from core.errors import RunNotWritable, UserError
from core.requests import ChangeSetting
from core.settings.fields import setting_effect
from core.settings.overriding import change_setting
from gui.bench.draft_and_run import DraftAndRun, Kept
from gui.bridge import EngineBridge

ACT_DELAY_MS = 2000  # after the last keystroke: the 2 of 2000 must not end the run at step 2, however slowly typed


@dataclass(eq=False)
class _Asked:
    """A change asked of a run, and the value that the setting has until it is made."""

    kept: Kept
    key: str
    before: object


class ActingEdits(QObject):
    """Holds edits until no key was pressed for `ACT_DELAY_MS`, then has the engine make them."""

    due = Signal()
    refused = Signal(str)  # why the engine refused a change, for an error users can fix

    def __init__(self, bridge: EngineBridge, at_hand: DraftAndRun) -> None:
        super().__init__(at_hand)
        self._bridge = bridge
        self._at_hand = at_hand
        self._values: dict[str, object] = {}
        self._unanswered: list[_Asked] = []
        self._typing = QTimer(self, singleShot=True, interval=ACT_DELAY_MS)
        self._typing.timeout.connect(self.due)

    def take(self, edits: Mapping[str, object]) -> None:
        """Hold those of the edits that can act during a run, and restart the delay."""
        self._values |= {key: value for key, value in edits.items() if setting_effect(key) == "now"}
        self._typing.start()

    def hold(self) -> None:
        """Wait for another delay: there is no run yet to apply the edits to."""
        self._typing.start()

    def come_at_once(self) -> None:
        """End the delay now: Enter was pressed, or the field lost the focus."""
        if self._typing.isActive():
            self._typing.stop()
            self.due.emit()

    def includes(self, key: str) -> bool:
        """Whether an edit of this setting, or of the group it belongs to, is about to act."""
        return f"{key}.".startswith(tuple(f"{one}." for one in self._values))

    def stop(self) -> None:
        """Stop the delay: the edits then act only with the next Learn."""
        self._typing.stop()

    def forget(self) -> None:
        """Drop the edits: the run they were meant for is left."""
        self._hand_over()

    def act(self) -> None:
        """Have the engine change these settings of the run, between two of its steps."""
        values = self._hand_over()
        for key, value in values.items():
            self._change(key, value)
        if values:
            self._at_hand.changed.emit()

    def _hand_over(self) -> dict[str, object]:
        """Return the held edits, and hold none any more."""
        self._typing.stop()
        values, self._values = self._values, {}
        return values

    def _change(self, key: str, value: object) -> None:
        before = self._at_hand.applied
        assert before is not None
        self._at_hand.applied = change_setting(before, key, value)
        if self._at_hand.applied != before:
            kept = self._at_hand.kept
            assert kept is not None
            asked = _Asked(kept, key, _value_of(before, key))
            self._unanswered.append(asked)
            take_back, change = partial(self._take_back, asked), ChangeSetting(key=key, value=value)
            self._bridge.ask(change, lambda _: self._unanswered.remove(asked), take_back, take_back)

    def _take_back(self, asked: _Asked, error: Exception | None = None) -> None:
        """Note that the run still has the old value of this setting.

        A change that was cancelled (no `error`) or could not be written to disk is tried again with the next Learn;
        any other waits for a new run.
        """
        self._unanswered.remove(asked)
        if error is not None:
            self._bridge.show_refusal(error)
        at_hand = self._at_hand
        later = [one for one in self._unanswered if (one.kept, one.key) == (asked.kept, asked.key)]
        if later:
            later[0].before = asked.before
            return
        if asked.kept is not at_hand.kept:
            asked.kept.as_before[asked.key] = asked.before
            return
        assert at_hand.applied is not None and at_hand.draft is not None
        at_hand.applied = change_setting(at_hand.applied, asked.key, asked.before)
        if error is None or isinstance(error, RunNotWritable):
            self._values.setdefault(asked.key, _value_of(at_hand.draft, asked.key))
        elif isinstance(error, UserError):
            self.refused.emit(error.sentence)
        at_hand.changed.emit()


def _value_of(config: RunConfig, key: str) -> object:
    return reduce(lambda settings, part: settings[part], key.split("."), config.model_dump(mode="json"))
