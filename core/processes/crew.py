"""The processes that torchrun starts to train one run, as the window's engine has them: asked, heard, and ended."""

from __future__ import annotations

import os
import queue
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.errors import BrokenOff, UserError
from core.events import Event, Progress, RunStarted, Trouble
from core.machine.child_python import start_apart
from core.processes.connection import Connection, Packet, refused
from core.requests import OpenRun, Request, SetPace
from core.torchrun import starting

START_SECONDS = 120.0
"""For torchrun and its processes to load torch, on a slow disk and a busy machine."""
ANSWER_SECONDS = 90.0
"""For an answer that nothing else can go on without: longer than a process that hangs is waited for by the others."""
END_SECONDS = 5.0
"""For torchrun to notice that its processes are gone."""
QUIET_SECONDS = 2.0
"""In which the first process, if it learns, tells of another that has ended."""
LOOK_SECONDS = 0.02
OUTPUT_CHARACTERS = 4000
GO_ON = "The run is open at its last checkpoint: Learn goes on from there, with any number of processes."

Asked = tuple[Request[Any], "Future[Any]"]
Work = Generator[Event | None, None, None]


class CrewLost(UserError):
    """The first of the processes has ended without being asked to, or answers no more."""


class Crew:
    """So many processes and the run they train. Used in the engine's thread alone.

    They start with `set_out`, which opens the run in the first of them, and are gone after `end`.
    """

    def __init__(self, num_processes: int, run: Path, plugin_dirs: Sequence[Path], cache_dir: Path) -> None:
        """Start torchrun. Raises UserError where that cannot be done on this system."""
        if not hasattr(socket, "AF_UNIX"):
            raise UserError("Several processes are started on Linux and macOS only.", "Learn with one process here.")
        self.num_processes = num_processes
        self.run = run
        self._place = TemporaryDirectory(prefix="headlight-")  # nobody else can look into it, or connect
        self._socket_path, self._output_path = Path(self._place.name, "socket"), Path(self._place.name, "output.txt")
        self._door = socket.socket(socket.AF_UNIX)
        self._open_door()
        self._door.listen()
        self._door.settimeout(LOOK_SECONDS)
        self._members: list[tuple[int, Connection]] = []  # process ids
        self._leader: Connection | None = None
        self._reader: threading.Thread | None = None
        self._incoming: queue.SimpleQueue[Packet | None] = queue.SimpleQueue()
        self._heard_at = 0.0
        self._asked: dict[int, Asked] = {}
        self._numbers = count(1)
        self._torchrun = self._start_torchrun(plugin_dirs, cache_dir)

    def _open_door(self) -> None:
        try:
            self._door.bind(str(self._socket_path))
        except OSError as error:  # a socket's path has at most some hundred characters
            self._door.close()
            self._place.cleanup()
            raise UserError(
                f"Other processes cannot be reached through {self._socket_path}: {error.strerror or error}.",
                "Have TMPDIR name a folder with a short path where you may write, and start Headlight again.",
            ) from None

    def _start_torchrun(self, plugin_dirs: Sequence[Path], cache_dir: Path) -> subprocess.Popen[bytes]:
        member = ["-m", "core.processes.member", "--socket", str(self._socket_path), "--cache-dir", str(cache_dir)]
        plugins = [argument for folder in plugin_dirs for argument in ("--plugins-dir", str(folder))]
        aside = ["--log-dir", self._place.name]  # else torchrun leaves a folder of its own, each time
        with self._output_path.open("wb") as output:
            return start_apart(
                [*starting(self.num_processes), *aside, *member, *plugins],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                variables={"PYTHONSAFEPATH": "1"},  # no module of the current folder
            )

    # -- beginning ---------------------------------------------------------------------------------------------------

    def set_out(self, pace: float | None) -> Work:
        """Wait for all processes and have the first open the run; yields how far that is, and None.

        Raises UserError where they do not come, or cannot open it.
        """
        yield from self._gather()
        self.ask(SetPace(steps_per_second=pace), Future())
        opened: Future[Any] = Future()
        self.ask(OpenRun(run=self.run), opened)
        for event in self.until(opened):
            yield event if isinstance(event, Trouble | Progress) else None  # all else is known of this run
        opened.result()

    def _gather(self) -> Work:
        give_up_at = time.monotonic() + START_SECONDS
        stage, total, told = f"starting {self.num_processes} processes", self.num_processes, -1
        while len(self._members) < total:
            yield Progress(stage=stage, done=len(self._members), total=total) if told < len(self._members) else None
            told = len(self._members)
            with suppress(TimeoutError):
                self._greet(self._door.accept()[0])
            if self._torchrun.poll() is not None or time.monotonic() > give_up_at:
                raise self._did_not_start()

    def _greet(self, end: socket.socket) -> None:
        end.setblocking(True)
        connection = Connection(end)
        hello = connection.receive()
        if hello is None:  # it has ended already, and torchrun with it
            return
        self._members.append((hello.plain["pid"], connection))
        if hello.plain["leads"]:
            self._leader = connection
            self._reader = threading.Thread(target=self._read, args=(connection,), name="crew", daemon=True)
            self._reader.start()

    def _did_not_start(self) -> UserError:
        said = [line.strip() for line in self.said().splitlines() if line.strip()]
        errors = [line for line in said if re.match(r"[\w.]*Error: .", line)]  # the first led to the others
        why = f": {[*errors, *said[-1:]][0]}" if said else ""
        return UserError(
            f"{self.num_processes} processes could not be started{why}.",
            "The run is as it was: learn with one process, or find out why `torchrun` does not start here.",
        )

    # -- asking and hearing ------------------------------------------------------------------------------------------

    def ask(self, request: Request[Any], future: Future[Any]) -> None:
        """Put a request to the first process; `turn` hears the answer."""
        assert self._leader is not None
        number = next(self._numbers)
        self._asked[number] = request, future
        with suppress(OSError):  # it is gone: `turn` finds that out
            self._leader.send(Packet.of("request", request, number))

    def turn(self, seconds: float = LOOK_SECONDS) -> Event | None:
        """Hear one event or answer, or wait so long for one. Raises CrewLost where there will be no more."""
        try:
            packet = self._incoming.get(timeout=seconds)
        except queue.Empty:
            return None
        if packet is None:
            self._incoming.put(None)  # whoever waits for more finds the end, too
            raise self._lost()
        self._heard_at = time.monotonic()
        if packet.kind == "event":
            return self._heard(packet.record())
        _settle(*self._asked.pop(packet.number), packet)
        return None

    def until(self, asked: Future[Any]) -> Work:
        """Hear what is told until this is answered. Raises CrewLost where that takes too long."""
        silent_at = time.monotonic() + ANSWER_SECONDS
        while not asked.done():
            event = self.turn()
            yield event
            if event is not None:
                silent_at = time.monotonic() + ANSWER_SECONDS
            if time.monotonic() > silent_at:
                raise self._lost()

    def missing(self) -> UserError | None:
        """What to say of a process that has ended while the first stands still; None where all are there."""
        is_quiet = time.monotonic() - self._heard_at > QUIET_SECONDS
        if not is_quiet or all(connection.is_open for _, connection in self._members):
            return None
        return UserError(f"One of the {self.num_processes} processes that train this run has ended.", GO_ON)

    def _heard(self, event: Event) -> Event:
        if isinstance(event, RunStarted):
            self.run = event.run
        return replace(event, details=event.details or self.said()) if isinstance(event, Trouble) else event

    def _lost(self) -> CrewLost:
        return CrewLost(
            f"The first of the {self.num_processes} processes that train this run has ended, or answers no more.",
            GO_ON,
        )

    def _read(self, connection: Connection) -> None:
        while (packet := connection.receive()) is not None:
            self._incoming.put(packet)
        self._incoming.put(None)

    def said(self) -> str:
        """The end of what torchrun and the processes wrote to their terminal."""
        return self._output_path.read_text(encoding="utf-8", errors="replace")[-OUTPUT_CHARACTERS:]

    # -- ending ------------------------------------------------------------------------------------------------------

    def end(self) -> None:
        """End all processes at once: what is to be kept has been asked for before. Whoever waits is told."""
        self._torchrun.terminate()  # and it those that have not come yet
        for pid, connection in self._members:
            if connection.is_open:
                os.kill(pid, signal.SIGKILL)
            connection.close()
        try:
            self._torchrun.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._torchrun.pid, signal.SIGKILL)
            self._torchrun.wait()
        if self._reader is not None:
            self._reader.join()
        self._door.close()
        self._place.cleanup()
        for _, future in self._asked.values():
            if future.set_running_or_notify_cancel():
                future.set_exception(BrokenOff("The processes that were to answer this have ended."))
        self._asked.clear()


def _settle(request: Request[Any], future: Future[Any], packet: Packet) -> None:
    """Give whoever asked what came back."""
    if packet.kind == "cancelled":
        future.cancel()
    elif future.set_running_or_notify_cancel():
        if packet.kind == "refusal":
            future.set_exception(refused(packet))
        else:
            future.set_result(packet.answer_to(request))
