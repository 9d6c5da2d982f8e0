"""Watches a run that another process writes: read only, from its folder, once a second."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from core.errors import UserError
from core.history import History
from core.run_files.runs_dir import is_gone
from core.run_folder import RunFolder
from core.runs.followed_run import read_followed_run
from gui.bridge import EngineBridge
from gui.playhead import Playhead
from gui.runs.run_names import run_name, shorten_name

INTERVAL_MS = 1000
_GONE_ADVICE = "It was deleted or moved: if it is still in the runs folder, Runs lists it there."


class Follower(QObject):
    """Has the panels draw another process's run until the user leaves it, or asks for another run here.

    The engine and its own history are not touched: afterwards the window's own run is shown as it was.
    """

    changed = Signal()  # another run or writer, or none any more

    def __init__(self, bridge: EngineBridge, playhead: Playhead) -> None:
        super().__init__()
        self.run: Path | None = None
        self.writer: str | None = None  # in words; None when that process has ended
        self._name = ""  # what the run is called
        self._bridge = bridge
        self._playhead = playhead
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self._refresh)

    @property
    def status(self) -> str:
        """Who writes the followed run, or that nobody does any more; empty while none is followed."""
        history = self._bridge.followed
        if self.run is None or history is None:
            return ""
        if self.writer is not None:
            return f"watching {self.writer}"
        return f"{self._name} is no longer being written"

    @property
    def status_reason(self) -> str:
        """`status` as the beginning of a reason: capitalised, unless it begins with a run's name."""
        return f"Watching {self.writer}" if self.writer is not None else self.status

    @property
    def why_no_model(self) -> str:
        """Why the followed run's model cannot be used here, and what to do; empty while no run is followed."""
        if not self.status:
            return ""
        if self.writer is not None:
            advice = "its weights are in that process. Stop following it to use this window's own run."
            return f"{self.status_reason}: {advice}"
        return f"{self.status_reason}: open it in Runs to use its weights."

    def follow(self, run: Path) -> None:
        """Show this run live. It is first read beside the GUI thread."""
        self.stop_following()
        self.run, self._name = run, run.name
        self._bridge.run_in_background(
            partial(_read, run), lambda read: self._show(*read), partial(self._handle_error, run)
        )

    def stop_following(self) -> None:
        """Show the engine's own run again."""
        self._timer.stop()
        if self.run is not None:
            self.run = self.writer = None
            if self._bridge.followed is not None:  # else it was still being read, and the view stays where it is
                self._playhead.restart()
                self._bridge.show(None)
            self.changed.emit()

    def stop(self) -> None:
        """Stop reading: the window is closing."""
        self._timer.stop()

    def _show(self, history: History, name: str) -> None:
        if history.folder is None or history.folder.path != self.run:  # left, or another one chosen meanwhile
            return
        self._name = name
        self._playhead.restart()
        self._bridge.show(history)
        self._timer.start()
        self._update_writer(history)

    def _refresh(self) -> None:
        history, writer = self._bridge.followed, self.writer
        assert history is not None and self.run is not None
        try:
            is_new = history.refresh()
        except (UserError, OSError) as error:
            self._handle_error(self.run, error)
            return
        if is_new:
            self._bridge.show(history)
        self._update_writer(history)
        if self.writer != writer and not is_new:  # as a killed one leaves nothing new: panels that name it are outdated
            self._bridge.show(history)
        if writer is None and self.writer is None:  # it ended before this reading, which therefore missed nothing
            self._timer.stop()

    def _update_writer(self, history: History) -> None:
        assert history.folder is not None
        self.writer = history.folder.state.writer()
        if self.writer is None:  # its name is shown now, and may have been changed meanwhile
            self._name = shorten_name(run_name(history.folder))
        self.changed.emit()

    def _handle_error(self, run: Path, error: Exception) -> None:
        if run == self.run:  # else it was left meanwhile
            self.stop_following()
            if isinstance(error, UserError) and is_gone(run):
                error = UserError(f"{self._name} is no longer followed: its folder is gone.", _GONE_ADVICE)
            self._bridge.report(error)


def _read(run: Path) -> tuple[History, str]:
    folder = RunFolder.open(run)
    return read_followed_run(folder), shorten_name(run_name(folder))
