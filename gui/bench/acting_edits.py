"""Settings of a run that were edited and act now: once they are typed out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial, reduce

from PySide6.QtCore import QObject, QTimer, Signal

from core.config import RunConfig, change_setting
from core.errors import NotWritten, UserError
from core.requests import ChangeSetting
from core.settings.fields import setting_effect
from gui.bench.at_hand import AtHand, Kept
from gui.bridge import EngineBridge

ACT_DELAY_MS = 2000  # after the last keystroke: the 2 of 2000 must not end the run at step 2, however slowly typed


@dataclass(eq=False)
class _Asked:
    """A setting that a run is to change, and what it has as long as it has not."""

    kept: Kept
    key: str
    before: object


class ActingEdits(QObject):
    """Holds them until the next key has not come for a moment, and has the engine change them then."""

    due = Signal()
    refused = Signal(str)  # why, where somebody can mend it

    def __init__(self, bridge: EngineBridge, at_hand: AtHand) -> None:
        super().__init__(at_hand)
        self._bridge = bridge
        self._at_hand = at_hand
        self._values: dict[str, object] = {}
        self._unanswered: list[_Asked] = []
        self._typing = QTimer(self, singleShot=True, interval=ACT_DELAY_MS)
        self._typing.timeout.connect(self.due)

    def take(self, edits: Mapping[str, object]) -> None:
        """Of what was edited, that which can act now; the moment begins anew."""
        self._values |= {key: value for key, value in edits.items() if setting_effect(key) == "now"}
        self._typing.start()

    def hold(self) -> None:
        """Another moment: there is nothing yet that they could act on."""
        self._typing.start()

    def come_at_once(self) -> None:
        """They were typed out: with Enter, or as the field was left."""
        if self._typing.isActive():
            self._typing.stop()
            self.due.emit()

    def includes(self, key: str) -> bool:
        """Whether this setting, or the part of the settings that it belongs to, is about to act."""
        return f"{key}.".startswith(tuple(f"{one}." for one in self._values))

    def stop(self) -> None:
        """They act with the next Learn only."""
        self._typing.stop()

    def forget(self) -> None:
        """They were meant for a run that is left."""
        self._hand_over()

    def act(self) -> None:
        """Change the settings of the run, between two of its steps."""
        values = self._hand_over()
        for key, value in values.items():
            self._change(key, value)
        if values:
            self._at_hand.changed.emit()

    def _hand_over(self) -> dict[str, object]:
        """What waited; nothing does any more."""
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
        """The run has this setting as before: what it was not told of (no `error`), or could not write, acts with the
        next Learn, all else waits.
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
        if error is None or isinstance(error, NotWritten):
            self._values.setdefault(asked.key, _value_of(at_hand.draft, asked.key))
        elif isinstance(error, UserError):
            self.refused.emit(error.sentence)
        at_hand.changed.emit()


def _value_of(config: RunConfig, key: str) -> object:
    return reduce(lambda settings, part: settings[part], key.split("."), config.model_dump(mode="json"))
