"""What the shown run is doing, and at which step, in as many words as there is room for."""

from __future__ import annotations

from typing import NamedTuple

from gui.bridge import WindowState
from gui.context import Context
from gui.frame.terse import Terse

STATES: dict[WindowState, str] = {
    "starting": "starting",
    "empty": "nothing prepared: choose other data or settings in Setup (Ctrl+E)",
    "preparing": "preparing",
    "ready": "untrained",
    "learning": "learning",
    "paused": "paused",
    "finished": "finished",
    "failed": "failed",
}
MARKS: dict[WindowState, str] = {"learning": "●", "finished": "✓", "failed": "✗", "paused": "▮▮"}


class StateWords(NamedTuple):
    """The texts that describe the state, with its step if it has one."""

    text: str
    mark: str = ""  # stands for `text` where there is little room
    step: str = ""
    of_steps: str = ""

    @classmethod
    def of(cls, context: Context) -> StateWords:
        """The words for the followed run, or else for the window's own."""
        state, live_step = context.bridge.state, context.playhead.live_step
        if watching := context.follower.status:
            return cls(watching, step=f"step {live_step:,}")
        mark = MARKS.get(state, "○")
        text = f"{mark} {STATES[state]}"
        if state in ("starting", "empty", "preparing"):  # the playhead may still be at a step of the run before
            return cls(text)
        prepared = context.bridge.history.prepared
        of_steps = f" of {prepared.config.training.max_steps:,}" if prepared else ""
        return cls(text, mark, f"step {live_step:,}", of_steps)

    @property
    def full_text(self) -> str:
        return f"{self.text} · {self.step}{self.of_steps}" if self.step else self.text

    def text_at(self, terse: Terse, *, is_live: bool) -> str:
        """The text at this level; without the step while not live, since the LIVE button then shows it."""
        short = self.mark or self.text
        if not is_live:
            return self.text if terse < Terse.NAMES else short
        if terse < Terse.NAMES:
            return self.full_text
        if not self.step or terse >= Terse.STEP:
            return short
        return f"{self.text} · {self.step}" if terse < Terse.STATE or not self.mark else f"{self.mark} {self.step}"
