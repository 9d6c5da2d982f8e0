"""run.json: a run's state, the process that writes it, and checksums of the other documents and of itself."""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from core.at_path import is_file
from core.events import SettingChanged
from core.file_format import FORMAT, require_known_format
from core.run_files.claiming import is_alive, process_start_id
from core.run_files.documents import (
    DamagedFile,
    checked_document,
    read_checked_document,
    reporting_read_errors,
    validated,
)
from core.run_files.file_names import STATE

StateName = Literal["new", "learning", "paused", "stopped", "finished", "failed"]
# Bounds for untrusted values: every calendar goes to the year 3000, an archive takes steps of twelve digits,
# and a group contains the run's name.
Step = Annotated[int, Field(ge=0, lt=10**12)]
Bytes = Annotated[int, Field(ge=0, lt=2**63)]
_MIN_TIME, _MAX_TIME = 0.0, 32_503_680_000.0
Time = Annotated[float, Field(ge=_MIN_TIME, le=_MAX_TIME)]  # seconds since the epoch
Line = Annotated[str, Field(max_length=255, pattern=r"^[^\x00-\x1f]*$")]


@dataclass(frozen=True, kw_only=True)
class RunState:
    """The content of run.json. `pid` and `host` name the process that writes the run; None if there is none."""

    __pydantic_config__ = ConfigDict(extra="forbid", allow_inf_nan=False)

    format: Literal[1] = FORMAT
    state: StateName = "new"
    created: Time = 0.0
    updated: Time = 0.0
    last_step: Step = 0  # of the newest checkpoint
    metrics_size: Bytes = 0  # bytes of metrics.jsonl at that checkpoint without its last line, which may be torn
    best_step: Step | None = None  # the checkpoint with the best value
    best_value: float | None = None
    best_metric: str | None = None  # the metric of that value: the setting may have changed since
    reason: Line | None = None  # a FinishReason, once the run has ended
    parent: str | None = None  # name of the run this one continues
    parent_step: Step | None = None  # the parent's step from which it continues
    began_with: tuple[SettingChanged, ...] = ()  # settings of config.yaml that a branch's past was trained without
    is_shared: bool = False  # received as one file: only to look at, without optimizer and plugin
    group: Line | None = None  # shared by the runs of one `train --seeds`
    pid: Annotated[int, Field(ge=1, lt=2**31)] | None = None
    host: Line | None = None
    pid_started: str | None = None  # when that process began, see `process_start_id`: its PID may be in use again
    checksums: dict[str, str] = field(default_factory=dict)  # file name -> crc32 of its bytes

    @property
    def durable_metrics_size(self) -> int | None:
        """The bytes of metrics.jsonl that no power cut can have damaged; None for all, once the run is released."""
        return None if self.pid is None else self.metrics_size

    def writer(self) -> str | None:
        """The other live process that writes this run, in words; None if there is none."""
        if self.pid is None or self.is_ours():
            return None
        if self.host != socket.gethostname():
            return f"process {self.pid} on {self.host}"
        return f"process {self.pid}" if is_alive(self.pid) and self._is_same_process() else None

    def _is_same_process(self) -> bool:
        assert self.pid is not None
        return self.pid_started in (None, process_start_id(self.pid))

    def is_ours(self) -> bool:
        """Whether this process writes the run."""
        return self.pid == os.getpid() and self.host == socket.gethostname() and self._is_same_process()


_STATE = TypeAdapter(RunState)


def now() -> float:
    """The current time, clamped to what run.json may hold, in case the clock is set wrong."""
    return min(max(time.time(), _MIN_TIME), _MAX_TIME)


def state_bytes(state: RunState) -> bytes:
    """The bytes of run.json."""
    return checked_document(asdict(state))


def read_state(path: Path) -> RunState:
    """Read run.json. Raises DamagedFile if it is not valid, NewerFormat if a newer version wrote it."""
    record = read_checked_document(path)
    require_known_format(record.get("format"), str(path))
    return validated(_STATE, record, path)


def writer_of(run: Path) -> str | None:
    """The other live process that writes a run, in words; None if there is none, or run.json is missing or damaged.

    Raises NewerFormat for a run of a newer version, which may or may not have a writer.
    """
    path = run / STATE
    with suppress(DamagedFile), reporting_read_errors(path):
        return read_state(path).writer() if is_file(path) else None
    return None
