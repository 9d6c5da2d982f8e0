"""The connection between the window's engine and the processes of a run."""

from __future__ import annotations

import socket

from core.events import StateChanged
from core.processes.connection import Connection, Packet


def test_packets_are_received_until_an_end_is_closed() -> None:
    ours, theirs = map(Connection, socket.socketpair())
    sent = Packet.of("event", StateChanged(state="ready", step=3))
    ours.send(sent)
    received = theirs.receive()
    assert received is not None and received.record() == sent.record()
    ours.close()
    assert theirs.receive() is None
    theirs.close()


def test_receiving_after_closing_the_own_end_returns_none() -> None:
    ours, theirs = map(Connection, socket.socketpair())
    ours.close()
    assert ours.receive() is None
    theirs.close()
