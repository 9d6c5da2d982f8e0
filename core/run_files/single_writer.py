"""A run's state, run.json, and the right to write the run: one live process has it at a time."""

from __future__ import annotations

import errno
import os
import socket
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.errors import UserError
from core.run_files.atomic import require_unprotected, write_atomically
from core.run_files.checkpoint_files import complete_checkpoints
from core.run_files.claiming import exclusive_lock, process_start_id
from core.run_files.file_names import LOG, METRICS, STATE
from core.run_files.recovering import recover
from core.run_files.state import RunState, now, read_state, state_bytes
from core.run_files.step_files import STEP_FOLDERS, require_writable
from core.run_files.write_errors import reporting_write_errors

_CLAIMED: set[Path] = set()  # folders that this process has claimed and not released


class SingleWriterFolder:
    """A run's folder with its state. Any process may read it; the one that claimed it writes until it releases it."""

    def __init__(self, path: Path, state: RunState) -> None:
        self.path = path
        self._state = state
        self._written_at: int | None = None  # st_mtime_ns of run.json as this process last wrote it

    @property
    def state(self) -> RunState:
        """The state of run.json, as this process last read or wrote it."""
        return self._state

    def reread_state(self) -> RunState:
        """Read run.json again, for a run that another process writes."""
        self._state = read_state(self.path / STATE)
        self._correct_last_step()
        return self._state

    def _correct_last_step(self) -> None:
        """Correct `last_step`: a crash or full disk after a checkpoint was written leaves run.json one behind."""
        newest = max(complete_checkpoints(self.path), default=0)
        self._state = replace(self._state, last_step=max(self._state.last_step, newest))

    def is_replaced(self) -> bool:
        """Whether another run is in this folder by now, moved or copied there under the same name."""
        file = self.path / STATE
        with suppress(UserError, OSError):  # damaged or gone, which is found when it is read or written
            # Reading takes half a millisecond, and metrics are appended several times a second.
            return file.stat().st_mtime_ns != self._written_at and read_state(file).created != self._state.created
        return False

    @property
    def path_to_write(self) -> Path:
        """`path`, to be asked for at each change in the folder. Raises OSError if another run is in it by now."""
        if self.is_replaced():
            raise FileNotFoundError(errno.ENOENT, "another run has taken its place")
        return self.path

    def update(self, **changes: Any) -> None:
        """Write changed fields of the state to run.json."""
        file, state = self.path_to_write / STATE, replace(self._state, **changes, updated=now())
        write_atomically(file, state_bytes(state))
        self._state, self._written_at = state, file.stat().st_mtime_ns

    def require_no_writer(self) -> None:
        """Raise UserError if another live process is writing this run."""
        writer = self.reread_state().writer()
        if writer:
            raise UserError(
                f"{self.path} is being written by {writer}.",
                "Follow it in the window's Runs view, or end that process first. Where it is long gone, or writes the "
                "run that this is a copy of, delete the lines pid and checksum in run.json.",
            )

    def claim(self) -> None:
        """Become the run's writer, and repair what a crash left. Raises UserError if another live process writes it."""
        with reporting_write_errors(self.path):
            self.claim_unreported()

    def claim_unreported(self) -> None:
        """Like `claim`, but raises OSError if the folder cannot be written, for a caller that knows its option."""
        with exclusive_lock(self.path / LOG):
            self.require_no_writer()
            require_unprotected(self.path / METRICS)  # cutting it back would replace it; then no step could be appended
            for name in STEP_FOLDERS:
                (self.path / name).mkdir(exist_ok=True)  # git and archives leave empty folders out
            recover(self.path)
            for name in STEP_FOLDERS:
                require_writable(self.path, name)  # now, not at the first checkpoint
            _CLAIMED.add(self.path.resolve())  # before run.json says that it is ours
            self.update(pid=os.getpid(), host=socket.gethostname(), pid_started=process_start_id(os.getpid()))

    def release(self, state: str, reason: str | None = None) -> None:
        """Let other processes write the run; `state` is a StateName of run.json, `reason` a FinishReason."""
        self.update(state=state, reason=reason, pid=None, host=None, pid_started=None)
        _CLAIMED.discard(self.path.resolve())

    def is_ours(self) -> bool:
        """Whether this process writes the run in this folder: the run.json of a moved or copied run says so, too."""
        return self._state.is_ours() and self.path.resolve() in _CLAIMED
