"""One of the processes that torchrun starts for the window: the first is a whole engine, the others follow it.

Each keeps a connection to the window's process as long as it lives, so that the window knows it and can end it. When
the window's process ends in whatever way, the first saves the run and ends, and the others with it.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
from argparse import ArgumentParser, Namespace
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from core.engine import Engine
from core.events import Event
from core.machine.garbage_collection import gc_frozen_afterwards
from core.machine.signals import STOP_SIGNALS
from core.machine.torch_import import stub_out_tracing
from core.processes.connection import Connection, Packet, refusal_packet
from core.torchrun import is_leader, silence_torch

EXIT_CODE = 3  # never 0: so torchrun also ends those that the first has never met


def main() -> int:
    """Serve or follow until the end. Returns the exit code."""
    arguments = _parse_arguments()
    stub_out_tracing()
    silence_torch()
    end = socket.socket(socket.AF_UNIX)
    end.connect(str(arguments.socket))
    connection = Connection(end)
    connection.send(Packet.of("hello", {"leads": is_leader(), "pid": os.getpid()}))
    if is_leader():
        _serve_window(connection, arguments)
        return EXIT_CODE
    with gc_frozen_afterwards():
        from core.training.follower import follow  # imports torch, in this thread

    return 0 if follow(arguments.plugins_dir) else EXIT_CODE


def _parse_arguments() -> Namespace:
    parser = ArgumentParser()
    parser.add_argument("--socket", type=Path, required=True)
    parser.add_argument("--cache-dir", type=Path, required=True)
    parser.add_argument("--plugins-dir", type=Path, action="append", default=[])
    return parser.parse_args()


def _serve_window(connection: Connection, arguments: Namespace) -> None:
    """Serve the window with this process's engine. Signals are left to the window."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)

    def emit(event: Event) -> None:
        connection.send(Packet.of("event", event))

    with Engine([emit], plugin_dirs=arguments.plugins_dir, cache_dir=arguments.cache_dir) as engine:
        while (packet := connection.receive()) is not None:
            future = engine.ask(packet.record())
            future.add_done_callback(partial(_answer, connection, packet.number))
    shutil.rmtree(arguments.socket.parent, ignore_errors=True)  # a window that was killed could not


def _answer(connection: Connection, number: int, future: Future[Any]) -> None:
    with suppress(OSError):  # the window is gone, and this engine about to close
        if future.cancelled():
            connection.send(Packet("cancelled", number, "", None, []))
        elif (error := future.exception()) is not None:
            connection.send(refusal_packet(error, number))
        else:
            connection.send(Packet.of("answer", future.result(), number))


if __name__ == "__main__":
    sys.exit(main())
