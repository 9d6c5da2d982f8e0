"""Packets over a socket between the window's engine and the processes that torchrun started for it.

A packet is two lengths, a JSON head, and the bytes of its arrays in C order.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from contextlib import suppress
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from core.errors import UserError, WorkAborted
from core.processes.records import EVENTS, REQUESTS, Arrays, answer_type, as_plain, from_plain
from core.requests import Request

Kind = Literal["hello", "request", "event", "answer", "refusal", "cancelled"]

_LENGTHS = struct.Struct(">QQ")  # of head and arrays, in bytes


class Packet(NamedTuple):
    """One message. An answer, a refusal and a cancellation have the number of their request."""

    kind: Kind
    number: int
    name: str  # of the record's class
    plain: Any
    arrays: Arrays

    @classmethod
    def of(cls, kind: Kind, value: Any, number: int = 0) -> Self:
        """A packet that carries this value."""
        arrays: Arrays = []
        return cls(kind, number, type(value).__name__, as_plain(value, arrays), arrays)

    def record(self) -> Any:
        """The event or request in this packet."""
        kinds: dict[str, Any] = EVENTS if self.kind == "event" else REQUESTS
        return from_plain(kinds[self.name], self.plain, self.arrays)

    def answer_to(self, request: Request[Any]) -> Any:
        """The answer in this packet."""
        return from_plain(answer_type(type(request)), self.plain, self.arrays)


def refusal_packet(error: BaseException, number: int) -> Packet:
    """A packet that carries an exception, by its message."""
    shown = error if isinstance(error, UserError) else UserError(f"{type(error).__name__}: {error}")
    kind = next(one for one in (WorkAborted, UserError, Exception) if isinstance(error, one))
    plain = {
        "sentence": shown.sentence,
        "advice": shown.advice,
        "offer": shown.offer,
        "stays": not shown.until_prepared,
    }
    return Packet("refusal", number, kind.__name__, plain, [])


def exception_from(packet: Packet) -> Exception:
    """The exception in a packet. One that is not for the user was reported as a Trouble where it was raised."""
    sentence, advice = packet.plain["sentence"], packet.plain["advice"]
    if packet.name == "Exception":
        return RuntimeError(sentence)
    error = WorkAborted(sentence, advice) if packet.name == "WorkAborted" else UserError(sentence, advice)
    error.offer, error.until_prepared = packet.plain["offer"], not packet.plain["stays"]
    return error


class Connection:
    """One end of a connection. Any thread may send; one thread receives."""

    def __init__(self, peer: socket.socket) -> None:
        self._socket = peer
        self._incoming = peer.makefile("rb")
        self._send_lock = threading.Lock()

    def send(self, packet: Packet) -> None:
        """Send a packet. Raises OSError if the other end is closed."""
        layouts = [(array.dtype.str, array.shape) for array in packet.arrays]
        head = json.dumps((packet.kind, packet.number, packet.name, packet.plain, layouts)).encode()
        body = b"".join(array.tobytes() for array in packet.arrays)
        with self._send_lock:
            self._socket.sendall(_LENGTHS.pack(len(head), len(body)) + head + body)

    def receive(self) -> Packet | None:
        """The next packet; None once either end is closed, or the other process has ended."""
        try:
            lengths = self._incoming.read(_LENGTHS.size)
            if len(lengths) < _LENGTHS.size:
                return None
            head, body = (self._incoming.read(length) for length in _LENGTHS.unpack(lengths))
        except (ConnectionError, ValueError):  # ValueError: another thread has closed this end, between two packets
            return None
        if (len(head), len(body)) != _LENGTHS.unpack(lengths):
            return None
        kind, number, name, plain, layouts = json.loads(head)
        return Packet(kind, number, name, plain, _arrays(layouts, body))

    @property
    def is_open(self) -> bool:
        """Whether the other process still has its end open, and so is alive."""
        try:
            return self._socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def close(self) -> None:
        """Close both ends: `receive` returns None at either."""
        with suppress(OSError):  # the other end closed first
            self._socket.shutdown(socket.SHUT_RDWR)
        self._incoming.close()
        self._socket.close()


def _arrays(layouts: list[tuple[str, list[int]]], body: bytes) -> Arrays:
    arrays, offset, buffer = [], 0, bytearray(body)  # writable, as the arrays of this process are
    for dtype, shape in layouts:
        array: NDArray[Any] = np.ndarray(shape, dtype, buffer, offset)
        arrays.append(array)
        offset += array.nbytes
    return arrays
