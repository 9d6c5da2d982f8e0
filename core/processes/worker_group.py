"""The processes that torchrun starts to train one run, as the window's engine sees them: asks, listens, ends them."""

from __future__ import annotations

import os
import queue
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.at_path import exists
from core.errors import UserError, WorkAborted
from core.events import Event, Progress, RunStarted, Trouble
from core.machine.child_python import start_python
from core.machine.resource_errors import as_shortage_error
from core.pending import PendingRequest, answer, refuse
from core.processes.connection import Connection, Packet, exception_from
from core.requests import OpenRun, Request, SetPace
from core.torchrun import torchrun_command

START_TIMEOUT_SECONDS = 120.0
"""How long torchrun and its processes may take to load torch, on a slow disk and a busy machine."""
ANSWER_TIMEOUT_SECONDS = 90.0
"""How long an indispensable answer may take: longer than the other processes wait for one that hangs."""
END_TIMEOUT_SECONDS = 5.0
"""How long torchrun may take to notice that its processes are gone."""
QUIET_SECONDS = 2.0
"""How soon the first process, if it trains, reports another that has ended."""
POLL_SECONDS = 0.02
OUTPUT_CHARACTERS = 4000
RESUME_ADVICE = "The run is open at its last checkpoint: Learn continues from there, with any number of processes."

Work = Generator[Event | None, None, None]


class WorkerGroupLost(UserError):
    """The first of the processes has ended unasked, or no longer answers."""


class WorkerGroup:
    """A number of processes and the run they train. Used only in the engine's thread.

    They start with `start`, which opens the run in the first of them, and end with `kill`.
    """

    def __init__(self, num_processes: int, run: Path, plugin_dirs: Sequence[Path], cache_dir: Path) -> None:
        """Start torchrun. Raises UserError if this system cannot."""
        if not hasattr(socket, "AF_UNIX"):
            raise UserError("Several processes can be started on Linux and macOS only.", "Learn with one process here.")
        self.num_processes = num_processes
        self.run = run
        with _reporting_start_errors():
            self._folder = TemporaryDirectory(prefix="headlight-")  # nobody else can look into it, or connect
        self._socket_path, self._output_path = Path(self._folder.name, "socket"), Path(self._folder.name, "output.txt")
        self._server = socket.socket(socket.AF_UNIX)
        self._workers: list[tuple[int, Connection]] = []  # process ids
        self._leader: Connection | None = None
        self._reader: threading.Thread | None = None
        self._incoming: queue.SimpleQueue[Packet | None] = queue.SimpleQueue()
        self._last_received_at = 0.0
        self._pending: dict[int, PendingRequest] = {}
        self._numbers = count(1)
        with ExitStack() as stack, _reporting_start_errors(self._socket_path):
            stack.callback(self._folder.cleanup)
            stack.callback(self._server.close)
            self._server.bind(str(self._socket_path))
            self._server.listen()
            self._server.settimeout(POLL_SECONDS)
            self._torchrun = self._start_torchrun(plugin_dirs, cache_dir)
            stack.pop_all()

    def _start_torchrun(self, plugin_dirs: Sequence[Path], cache_dir: Path) -> subprocess.Popen[bytes]:
        worker = ["-m", "core.worker_process", "--socket", str(self._socket_path), "--cache-dir", str(cache_dir)]
        plugins = [argument for folder in plugin_dirs for argument in ("--plugins-dir", str(folder))]
        log_options = ["--log-dir", self._folder.name]  # otherwise torchrun leaves a folder of its own each time
        with self._output_path.open("wb") as output:
            return start_python(
                [*torchrun_command(self.num_processes), *log_options, *worker, *plugins],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                variables={"PYTHONSAFEPATH": "1"},  # import nothing from the current folder
            )

    # -- starting ------------------------------------------------------------------------------------------------------

    def start(self, pace: float | None) -> Work:
        """Wait for all processes and have the first open the run; yields progress, and None.

        Raises UserError if they do not start, or cannot open it.
        """
        yield from self._accept_all()
        self.ask(SetPace(steps_per_second=pace), Future())
        opened: Future[Any] = Future()
        self.ask(OpenRun(run=self.run), opened)
        for event in self.events_until(opened):
            yield event if isinstance(event, Trouble | Progress) else None  # the rest is known already
        opened.result()

    def _accept_all(self) -> Work:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        stage, total, shown = f"starting {self.num_processes} processes", self.num_processes, -1
        while len(self._workers) < total:
            yield Progress(stage=stage, done=len(self._workers), total=total) if shown < len(self._workers) else None
            shown = len(self._workers)
            with suppress(TimeoutError):
                self._accept(self._server.accept()[0])
            if self._torchrun.poll() is not None or time.monotonic() > deadline:
                raise self._start_error()

    def _accept(self, end: socket.socket) -> None:
        end.setblocking(True)
        connection = Connection(end)
        hello = connection.receive()
        if hello is None:  # it has ended again, and torchrun with it
            return
        self._workers.append((hello.plain["pid"], connection))
        if hello.plain["leads"]:
            self._leader = connection
            self._reader = threading.Thread(target=self._read, args=(connection,), name="workers", daemon=True)
            self._reader.start()

    def _start_error(self) -> UserError:
        output_lines = [line.strip() for line in self.output().splitlines() if line.strip()]
        errors = [line for line in output_lines if re.match(r"[\w.]*Error: .", line)]  # the first caused the others
        why = f": {[*errors, *output_lines[-1:]][0]}" if output_lines else ""
        return UserError(
            f"{self.num_processes} processes could not be started{why}.",
            "The run is as it was: learn with one process, or find out why `torchrun` does not start here.",
        )

    # -- requests and events -------------------------------------------------------------------------------------------

    def ask(self, request: Request[Any], future: Future[Any]) -> None:
        """Send a request to the first process; `poll` receives the answer."""
        assert self._leader is not None
        number = next(self._numbers)
        self._pending[number] = request, future
        with suppress(OSError):  # it is gone, which `poll` finds out
            self._leader.send(Packet.of("request", request, number))

    def poll(self, seconds: float = POLL_SECONDS) -> Event | None:
        """Receive one event or answer, waiting at most so long. Raises WorkerGroupLost if there will be no more."""
        try:
            packet = self._incoming.get(timeout=seconds)
        except queue.Empty:
            return None
        if packet is None:
            self._incoming.put(None)  # for the next call
            raise self._lost_error()
        self._last_received_at = time.monotonic()
        if packet.kind == "event":
            return self._received(packet.record())
        _complete(*self._pending.pop(packet.number), packet)
        return None

    def events_until(self, future: Future[Any]) -> Work:
        """Yield events until this is answered. Raises WorkerGroupLost if that takes too long."""
        deadline = time.monotonic() + ANSWER_TIMEOUT_SECONDS
        while not future.done():
            event = self.poll()
            yield event
            if event is not None:
                deadline = time.monotonic() + ANSWER_TIMEOUT_SECONDS
            if time.monotonic() > deadline:
                raise self._lost_error()

    def lost_worker_error(self) -> UserError | None:
        """The error to report if a process has ended while the first is paused; None if all are there."""
        is_quiet = time.monotonic() - self._last_received_at > QUIET_SECONDS
        if not is_quiet or all(connection.is_open for _, connection in self._workers):
            return None
        return UserError(f"One of the {self.num_processes} processes that train this run has ended.", RESUME_ADVICE)

    def _received(self, event: Event) -> Event:
        if isinstance(event, RunStarted):
            self.run = event.run
        return replace(event, details=event.details or self.output()) if isinstance(event, Trouble) else event

    def _lost_error(self) -> WorkerGroupLost:
        return WorkerGroupLost(
            f"The first of the {self.num_processes} processes that train this run has ended, or no longer answers.",
            RESUME_ADVICE,
        )

    def _read(self, connection: Connection) -> None:
        while (packet := connection.receive()) is not None:
            self._incoming.put(packet)
        self._incoming.put(None)

    def output(self) -> str:
        """The last lines that torchrun and the processes wrote to their terminal."""
        if not exists(self._output_path):  # many systems remove temporary files that nobody has read for days
            return ""
        return self._output_path.read_text(encoding="utf-8", errors="replace")[-OUTPUT_CHARACTERS:]

    # -- stopping ------------------------------------------------------------------------------------------------------

    def kill(self) -> None:
        """Kill all processes at once, after saving was asked for. Requests not answered yet fail."""
        self._torchrun.terminate()  # which ends those that have not connected yet
        for pid, connection in self._workers:
            if connection.is_open:
                with suppress(ProcessLookupError):  # torchrun has just ended it
                    os.kill(pid, signal.SIGKILL)
            connection.close()
        try:
            self._torchrun.wait(END_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._torchrun.pid, signal.SIGKILL)
            self._torchrun.wait()
        if self._reader is not None:
            self._reader.join()
        self._server.close()
        self._folder.cleanup()
        for _, future in self._pending.values():
            refuse(future, WorkAborted("The processes that should have answered this have ended."))
        self._pending.clear()


@contextmanager
def _reporting_start_errors(socket_path: Path | None = None) -> Iterator[None]:
    """Turn an OSError in the block into a UserError about the temporary files: the run would be blamed for it."""
    try:
        yield
    except OSError as error:
        shortage = as_shortage_error(error)
        path = error.filename or socket_path  # of at most some hundred characters, for which the error names no file
        raise shortage or UserError(
            f"Other processes cannot be reached through {path}: {error.strerror or error}.",
            "Have TMPDIR name a folder with a short path where you may write, and start Headlight again.",
        ) from None


def _complete(request: Request[Any], future: Future[Any], packet: Packet) -> None:
    """Complete a request's future with what came back."""
    if packet.kind == "cancelled":
        future.cancel()
    elif packet.kind == "refusal":
        refuse(future, exception_from(packet))
    else:
        answer(future, packet.answer_to(request))
