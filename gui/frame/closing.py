"""What happens when the window is to close: the run is saved, and a failed save keeps the window open once."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from core.events import StateChanged
from core.faults import as_trouble
from core.requests import Close, Stop
from gui.context import Context
from gui.frame.trouble_strip import TroubleStrip


class Closing(QObject):
    """Saves everything before the window closes; `finished` says when that is done.

    If saving fails, the window stays open the first time. `unsaved_message` is then for a user who leaves anyway.
    """

    finished = Signal(int)  # the application may end, with this status

    def __init__(self, context: Context, window: QWidget, strip: TroubleStrip) -> None:
        super().__init__(window)
        self.unsaved_message = ""
        self._context = context
        self._window = window
        self._strip = strip
        self._exit_status: int | None = None
        self._was_warned = False  # whether the user was told that closing loses steps
        context.bridge.state_changed.connect(self._handle_state)

    def save_or_warn(self) -> None:
        """Save without asking, and finish once that is done; after a failed save, finish in any case."""
        if self._was_warned or self._context.bridge.engine.is_closed:
            self.save_and_exit()
        elif self._window.isEnabled():  # not closing already
            self._window.setEnabled(False)
            self._context.workbench.stop()
            self._context.bridge.ask(Stop(), lambda _: self.save_and_exit(), self._report_failed_close)

    def save_and_exit(self, status: int = 0) -> None:
        """Save, then emit `finished`, even if saving fails. If called twice, the first status counts."""
        if self._exit_status is None:
            self._exit_status = status
            self._window.setEnabled(False)
            self._context.workbench.stop()
            self._context.bridge.ask(Close(), self._finish, self._finish_unsaved)

    def _finish(self, _: object) -> None:
        self.finished.emit(self._exit_status)

    def _finish_unsaved(self, error: Exception) -> None:
        self.unsaved_message = f"{as_trouble(error).sentence} {self._saved_up_to()}"
        self._finish(error)

    def _report_failed_close(self, error: Exception) -> None:
        """Report that the run could not be saved instead of closing, unless a signal arrived meanwhile."""
        if self._exit_status is None:
            self._was_warned = True
            self._window.setEnabled(True)
            self._context.workbench.drop_cancelled_requests(error)
            trouble = as_trouble(error)
            again = "Closing again saves if possible, and quits in any case."
            self._strip.show_first(replace(trouble, advice=f"{trouble.advice} {again} {self._saved_up_to()}"))

    def _saved_up_to(self) -> str:
        """A sentence that says up to which step the run is safe on disk."""
        steps = self._context.bridge.history.checkpoint_steps
        return f"Everything up to step {steps[-1]:,} is kept." if steps else "This run has no checkpoint yet."

    def _handle_state(self, change: StateChanged) -> None:
        if change.state in ("preparing", "learning"):
            self._was_warned = False  # new steps can be lost now: warn about them too
