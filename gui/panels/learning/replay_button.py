"""The buttons that play a run, and back."""

from __future__ import annotations

from typing import NamedTuple

from gui.replay import Replay
from gui.theme import Theme
from gui.widgets.buttons import IconButton


class _Way(NamedTuple):
    """A way to play, as its button says it."""

    icon: str
    name: str
    help: str
    keys: str


_FORWARDS = _Way("replay", "Replay", "See it learn again, probe by probe, from the viewed step", "P")
_BACK = _Way("rewind", "Rewind", "Go back through what it learned, probe by probe, from the viewed step", "Shift+P")


class ReplayButton(IconButton):
    """Plays one way; while it does, a click stops it."""

    def __init__(self, theme: Theme, replay: Replay, *, is_back: bool) -> None:
        way = _BACK if is_back else _FORWARDS
        super().__init__(theme, way.icon, way.name)
        self._replay, self._is_back, self._way = replay, is_back, way
        self.clicked.connect(replay.toggle_back if is_back else replay.toggle)
        replay.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        """What a click would do."""
        way, is_playing = self._way, self._replay.is_playing and self._replay.is_back == self._is_back
        self.set_icon("pause" if is_playing else way.icon)
        self.setAccessibleName(f"Stop the {way.name.lower()}" if is_playing else way.name)
        self.setToolTip(f"Stop here ({way.keys})" if is_playing else f"{way.help} ({way.keys})")
