"""Settings of a run that were edited and act now: once they are typed out."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, QTimer, Signal

from core.settings.fields import setting_effect

ACT_DELAY_MS = 800  # after the last keystroke: the 2 of 2000 must not end the run at step 2


class ActingEdits(QObject):
    """Holds them until the next key has not come for a moment."""

    due = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._values: dict[str, object] = {}
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(ACT_DELAY_MS)
        self._typing.timeout.connect(self.due)

    def take(self, edits: Mapping[str, object]) -> None:
        """Of what was edited, that which can act now; the moment begins anew."""
        self._values |= {key: value for key, value in edits.items() if setting_effect(key) == "now"}
        self._typing.start()

    def take_again(self, key: str, value: object) -> None:
        """It could not be written, and acts with whatever acts next, unless it was edited since."""
        self._values.setdefault(key, value)

    def hold(self) -> None:
        """Another moment: there is nothing yet that they could act on."""
        self._typing.start()

    def hand_over(self) -> dict[str, object]:
        """They act; nothing waits any more."""
        self._typing.stop()
        values, self._values = self._values, {}
        return values

    def includes(self, key: str) -> bool:
        """Whether this setting, or the part of the settings that it belongs to, is about to act."""
        return f"{key}.".startswith(tuple(f"{one}." for one in self._values))

    def stop(self) -> None:
        """They act with the next Learn only."""
        self._typing.stop()

    def forget(self) -> None:
        """They were meant for a run that is left."""
        self.hand_over()
