"""Every request, event and answer survives being sent to another process unchanged."""

from __future__ import annotations

import errno
import os
import socket
import tempfile
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, fields, is_dataclass
from inspect import isclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from pydantic import BaseModel

from core import worker_process
from core.config import DecodingConfig, RunConfig
from core.errors import RunNotWritable, UserError, WorkAborted
from core.processes import worker_group
from core.processes.connection import Connection, Packet, exception_from, refusal_packet
from core.processes.records import EVENTS, REQUESTS, answer_type
from core.processes.worker_group import WorkerGroup
from tests.core.watcher import tiny_config

PLAIN: dict[Any, Any] = {
    str: "\u2028 ∫ \udce9",
    int: -3,
    float: 0.1,
    bool: True,
    Path: Path("/a b/ü"),
    Any: [1, {"a": None}],
    object: 1e-3,
    RunConfig: tiny_config(),
    DecodingConfig: DecodingConfig(beam_size=3),
}


def sample(kind: Any) -> Any:
    """A value of this type that is neither empty nor a default."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is NoneType:
        return None
    if origin in (Union, UnionType):
        return sample(inner[0])
    if origin is Literal:
        return inner[-1]
    if origin is np.ndarray:
        return np.array([[1.5, -np.inf], [np.nan, 0.0]]).astype(get_args(inner[1])[0])
    if origin is tuple:
        return tuple(map(sample, inner[:1] * 2 if inner[-1] is Ellipsis else inner))
    if origin in (dict, Mapping):
        return {sample(inner[0]): sample(inner[1]), "": sample(inner[1])}
    if isclass(kind) and is_dataclass(kind):
        return kind(**{name: sample(one) for name, one in get_type_hints(kind).items()})
    if isclass(kind) and issubclass(kind, tuple):
        return kind(*map(sample, get_type_hints(kind).values()))
    return PLAIN[kind]


def assert_same(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape) and one.tobytes() == other.tobytes()
        assert other.flags.writeable
    elif is_dataclass(one):
        assert_same(vars(one), vars(other))
    elif isinstance(one, dict):
        assert_same(tuple(one.items()), tuple(other.items()))
    elif isinstance(one, tuple) and not isinstance(one, BaseModel):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            assert_same(mine, theirs)
    else:
        assert one == other


def sent(packet: Packet) -> Packet:
    """Send a packet through a socket; return what arrives."""
    sender, receiver = map(Connection, socket.socketpair())
    try:
        sender.send(packet)
        received = receiver.receive()
        assert received is not None
        return received
    finally:
        sender.close()
        assert receiver.receive() is None
        receiver.close()


@pytest.mark.parametrize("kind", [*EVENTS.values(), *REQUESTS.values()])
def test_a_record_is_frozen(kind: Any) -> None:
    """A listener in one thread could otherwise change what another is reading."""
    record = object.__new__(kind)
    for name in ("anything", *(field.name for field in fields(kind))):
        with pytest.raises(FrozenInstanceError):
            setattr(record, name, None)


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@pytest.mark.parametrize("name", [*EVENTS, *REQUESTS])
def test_records_arrive_unchanged(name: str) -> None:
    record = sample({**EVENTS, **REQUESTS}[name])
    assert_same(sent(Packet.of("event" if name in EVENTS else "request", record)).record(), record)


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@pytest.mark.parametrize("name", REQUESTS)
def test_answers_arrive_unchanged(name: str) -> None:
    answer, request = sample(answer_type(REQUESTS[name])), sample(REQUESTS[name])
    received = sent(Packet.of("answer", answer, 7))
    assert received.number == 7
    assert_same(received.answer_to(request), answer)


def test_empty_and_transposed_arrays_arrive_unchanged() -> None:
    arrays = {"none": np.zeros((0, 3)), "turned": np.arange(6.0).reshape(2, 3).T}
    event = EVENTS["StepsDone"](first_step=1, arrays=arrays)  # type: ignore[call-arg]
    received = sent(Packet.of("event", event)).record()
    for name, array in arrays.items():
        np.testing.assert_array_equal(received.arrays[name], array, strict=True)


def test_a_value_that_is_not_plain_data_is_refused() -> None:
    with pytest.raises(TypeError, match="set cannot cross"):
        Packet.of("event", EVENTS["SettingChanged"](step=1, key="a", value={1}))  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "error", [UserError("A.", "B."), RunNotWritable("A.", "B."), WorkAborted("A.", "B."), KeyError("A")]
)
def test_an_error_keeps_its_text_and_its_kind(error: Exception) -> None:
    received = exception_from(sent(refusal_packet(error, 1)))
    assert isinstance(received, WorkAborted) == isinstance(error, WorkAborted)
    assert isinstance(received, UserError) == isinstance(error, UserError)
    if isinstance(error, UserError) and isinstance(received, UserError):
        assert (str(received), received.offer) == (str(error), error.offer)
    else:
        assert "KeyError: 'A'" in str(received)


@pytest.mark.parametrize("num_bytes", [0, 5, 20, -1])
def test_a_truncated_packet_is_the_end_of_the_connection(num_bytes: int) -> None:
    """As left by a process that is killed while sending."""
    ours, theirs = socket.socketpair()
    connections = Connection(ours), Connection(theirs)
    connections[0].send(Packet("hello", 0, "", None, []))
    packet = theirs.recv(1000, socket.MSG_PEEK)
    assert connections[1].receive() is not None
    ours.sendall(packet[:num_bytes])
    connections[0].close()
    assert connections[1].receive() is None
    connections[1].close()


def test_the_temporary_folder_of_a_window_that_was_killed_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_process, "STOP_SIGNALS", ())
    folder, (ours, theirs) = tmp_path / "headlight-1", socket.socketpair()
    folder.mkdir()
    (folder / "output.txt").touch()
    theirs.close()
    arguments = Namespace(socket=folder / "socket", cache_dir=tmp_path / "cache", plugins_dir=[])
    connection = Connection(ours)
    worker_process._serve_window(connection, arguments)
    connection.close()
    assert not folder.exists()


def test_a_folder_path_too_long_for_a_socket_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with pytest.raises(UserError, match=r"cannot be reached through .*too long.*Have TMPDIR name"):
        WorkerGroup(2, tmp_path, [], tmp_path)
    assert list(deep.iterdir()) == []


def test_what_keeps_processes_from_starting_is_not_blamed_on_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "removed meanwhile"))
    with pytest.raises(UserError, match=r"reached through .*removed meanwhile/headlight-.*: No such file.*TMPDIR"):
        WorkerGroup(2, tmp_path, [], tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(worker_group, "start_python", refuse)
    with pytest.raises(UserError, match="lets Headlight start no other thread or process"):
        WorkerGroup(2, tmp_path, [], tmp_path)
    assert list(tmp_path.iterdir()) == []
