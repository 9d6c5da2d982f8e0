"""A listener that writes a run's curves as TensorBoard event files. Needs the extra `headlight[tensorboard]`."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from core.errors import UserError
from core.events import Event, RunFinished, RunStarted, StepsDone, ValidationDone
from core.exporting.extras import not_installed
from core.run_files.write_errors import reporting_write_errors

try:
    from tensorboard.compat.proto import event_pb2, summary_pb2
    from tensorboard.summary.writer.record_writer import RecordWriter
except ImportError:
    raise not_installed("tensorboard", "--tensorboard") from None

_FILE_NAME = "events.out.tfevents.{}.headlight"


class TensorBoardEvents:
    """Writes every training step and validation under the run's name; a failure to write does not end the run."""

    def __init__(self, folder: Path) -> None:
        """Raises UserError if nothing can be written in `folder`."""
        with reporting_write_errors(folder, "--tensorboard", error_type=UserError):
            folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._file: IO[bytes] | None = None

    def __call__(self, event: Event) -> None:
        """Write one event of the run, if TensorBoard can show it."""
        try:
            self._write_event(event)
        except OSError as error:
            why = f"{self._folder}: no more event files are written ({error.strerror})"
            print(f"\nheadlight: {why}. The training goes on, and its run keeps the curves.", file=sys.stderr)
            self.close()

    def close(self) -> None:
        """Write what is left."""
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):  # the first failure was reported
                file.close()

    def _write_event(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._open_file(event)
            case StepsDone():
                names = [name for name in event.arrays if name != "time"]
                for number, seconds in enumerate(event.arrays["time"]):
                    scalars = {name: float(event.arrays[name][number]) for name in names}
                    self._write(_scalars(event.first_step + number, float(seconds), scalars))
            case ValidationDone():
                self._write(_scalars(event.step, time.time(), event.metrics))
            case RunFinished():
                self.close()
        if self._file is not None:
            self._file.flush()

    def _open_file(self, started: RunStarted) -> None:
        """Open a new file at each start; TensorBoard drops the steps of earlier files that are taken again.

        It reads them in the order of their names, in which the new one is the last though the clock was set back.
        """
        folder = self._folder / started.run.name
        folder.mkdir(exist_ok=True)
        numbers = [int(path.suffixes[-2][1:]) for path in folder.glob(_FILE_NAME.format("*"))]
        number = max([time.time_ns(), *(earlier + 1 for earlier in numbers)])
        self._file = (folder / _FILE_NAME.format(number)).open("wb")
        now, session_start = time.time(), event_pb2.SessionLog(status=event_pb2.SessionLog.START)
        self._write(event_pb2.Event(wall_time=now, file_version="brain.Event:2"))
        self._write(event_pb2.Event(wall_time=now, step=started.step + 1, session_log=session_start))

    def _write(self, event: Any) -> None:
        if self._file is not None:
            RecordWriter(self._file).write(event.SerializeToString())


def _scalars(step: int, seconds: float, values: Mapping[str, float]) -> Any:
    """The protocol's record of several curves' values at one step."""
    summary = summary_pb2.Summary(
        value=[summary_pb2.Summary.Value(tag=name, simple_value=value) for name, value in values.items()]
    )
    return event_pb2.Event(wall_time=seconds, step=step, summary=summary)
