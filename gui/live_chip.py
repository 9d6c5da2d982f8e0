"""The chip that says which step is viewed and which is the newest; a click goes back to that."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from gui.playhead import Playhead
from gui.widgets import set_role

_HELP = "Follow the newest step again (L)"


class LiveChip(QPushButton):
    """Whoever shows it calls `refresh`."""

    def __init__(self, playhead: Playhead) -> None:
        super().__init__("LIVE")
        self._playhead = playhead
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Space to Learn
        self.setToolTip(_HELP)
        self.setAccessibleName("Go live")
        self.setAccessibleDescription(_HELP)
        set_role(self, "chip")
        self.clicked.connect(playhead.go_live)

    def refresh(self) -> None:
        """Say the steps of this moment."""
        text = "LIVE" if self._playhead.is_live else viewing(self._playhead.step, self._playhead.live_step)
        if text != self.text():
            self.setText(text)


def viewing(step: int, live_step: int) -> str:
    """What the chip says off live."""
    return f"viewing {step:,} · LIVE ({live_step:,})"
