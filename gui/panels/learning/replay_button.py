"""The buttons that play a run forwards and back."""

from __future__ import annotations

from gui.replay import Replay
from gui.theme import Theme
from gui.widgets.buttons import IconButton
from gui.widgets.tab_order import release_focus

_WAYS = {  # is_rewinding -> icon, name, help and keys
    False: ("replay", "Replay", "Watch it learn again, probe by probe, from the viewed step", "P"),
    True: ("rewind", "Rewind", "Go back through what it learned, probe by probe, from the viewed step", "Shift+P"),
}
_NOTHING_TO_PLAY = "There is nothing to play yet: no step has been taken"


class ReplayButton(IconButton):
    """Plays the run in one direction; while it plays, a click stops it."""

    def __init__(self, theme: Theme, replay: Replay, *, is_rewinding: bool) -> None:
        icon, name, *_ = _WAYS[is_rewinding]
        super().__init__(theme, icon, name)
        self._replay, self._is_rewinding = replay, is_rewinding
        self.clicked.connect(replay.toggle_rewind if is_rewinding else replay.toggle)
        replay.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        """Show what a click would do."""
        icon, name, help, keys = _WAYS[self._is_rewinding]
        is_playing = self._replay.is_playing and self._replay.is_rewinding == self._is_rewinding
        self.set_icon("pause" if is_playing else icon)
        self.setAccessibleName(f"Stop the {name.lower()}" if is_playing else name)
        can_play = self._replay.can_play
        if not can_play:
            release_focus(self)
        self.setEnabled(can_play)
        use = f"Stop here ({keys})" if is_playing else f"{help} ({keys})"
        self.setToolTip(use if can_play else _NOTHING_TO_PLAY)
