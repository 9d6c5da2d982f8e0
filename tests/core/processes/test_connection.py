"""The socket between the window's engine and the processes of a run."""

from __future__ import annotations

import socket

from core.events import StateChanged
from core.processes.connection import Connection, Packet


def test_what_is_sent_is_received_until_an_end_is_closed() -> None:
    ours, theirs = map(Connection, socket.socketpair())
    sent = Packet.of("event", StateChanged(state="ready", step=3))
    ours.send(sent)
    received = theirs.receive()
    assert received is not None and received.record() == sent.record()
    ours.close()
    assert theirs.receive() is None
    theirs.close()


def test_who_comes_back_to_receive_where_it_was_closed_meanwhile_finds_the_end() -> None:
    ours, theirs = map(Connection, socket.socketpair())
    ours.close()
    assert ours.receive() is None
    theirs.close()
