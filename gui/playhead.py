"""Which step is viewed. Viewing and training are independent: neither Learn nor Pause moves the view."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class Playhead(QObject):
    """The viewed step: it follows the newest one while live, and stays where it was put otherwise."""

    moved = Signal(int)  # the viewed step, also when it goes live or off live
    live_moved = Signal(int)  # the newest step
    restarted = Signal()  # another run is viewed

    def __init__(self) -> None:
        super().__init__()
        self._live_step = 0
        self._viewed: int | None = None

    @property
    def step(self) -> int:
        """The step every panel shows."""
        return self._live_step if self._viewed is None else self._viewed

    @property
    def live_step(self) -> int:
        return self._live_step

    @property
    def is_live(self) -> bool:
        return self._viewed is None

    def view(self, step: int) -> None:
        """Look at a step and stay there, whatever is trained meanwhile."""
        self._viewed = min(max(step, 0), self._live_step)
        self.moved.emit(self.step)

    def put(self, step: int) -> None:
        """Look at a step that a hand put it to: at the end of the run it follows the newest one again."""
        if step < self._live_step:
            self.view(step)
        else:
            self.go_live()

    def go_live(self) -> None:
        """Follow the newest step again."""
        self._viewed = None
        self.moved.emit(self.step)

    def advance(self, step: int) -> None:
        """The newest step is `step` now. A view off live stays."""
        if step == self._live_step:
            return
        self._live_step = step
        self.live_moved.emit(step)
        if self._viewed is None:
            self.moved.emit(step)

    def restart(self) -> None:
        """Another run: live, at its step 0."""
        self._viewed = None
        self._live_step = 0
        self.restarted.emit()
        self.live_moved.emit(0)
        self.moved.emit(0)
