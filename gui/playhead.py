"""Which step is viewed. Viewing and training are independent: neither Learn nor Pause moves the view."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class Playhead(QObject):
    """The viewed step: follows the newest step while live, and otherwise stays where it was put."""

    moved = Signal(int)  # the viewed step, also when it becomes live or stops being live
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
        """View this step and stay there as training goes on."""
        self._viewed = min(max(step, 0), self._live_step)
        self.moved.emit(self.step)

    def drag_to(self, step: int) -> None:
        """View the step the user dragged to; at the newest one, go live again."""
        if step < self._live_step:
            self.view(step)
        else:
            self.go_live()

    def go_live(self) -> None:
        """Follow the newest step again."""
        self._viewed = None
        self.moved.emit(self.step)

    def advance(self, step: int) -> None:
        """Set the newest step. The viewed step moves only while live."""
        if step == self._live_step:
            return
        self._live_step = step
        self.live_moved.emit(step)
        if self._viewed is None:
            self.moved.emit(step)

    def restart(self) -> None:
        """Begin again with another run: live, at step 0."""
        self._viewed = None
        self._live_step = 0
        self.restarted.emit()
        self.live_moved.emit(0)
        self.moved.emit(0)
