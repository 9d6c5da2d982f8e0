"""The group of processes without torchrun: what comes from it, and how it is ended."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from core.events import FinishReason, RunFinished, Trouble
from core.plugins_host.host import PluginHost
from core.processes import worker_group
from core.processes.connection import Connection, Packet
from core.processes.worker_group import WorkerGroup
from core.serving.other_processes import OtherProcesses
from core.serving.session import Session

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it starts no group of processes")


@pytest.fixture(autouse=True)
def torchrun_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = [sys.executable, "-c", "import time; time.sleep(1000)"]
    monkeypatch.setattr(worker_group, "torchrun_command", lambda _: waiting)


def test_a_group_is_killed_though_one_of_its_processes_ends_meanwhile(tmp_path: Path) -> None:
    """torchrun is asked to end them first, and may have done so between a look at a connection and the kill."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    ours, theirs = socket.socketpair()
    with theirs:
        group = WorkerGroup(2, tmp_path, [], tmp_path)
        group._workers.append((ended.pid, Connection(ours)))
        group.kill()
    assert group._torchrun.poll() is not None
    assert not Path(group._folder.name).exists()


def test_an_error_is_passed_on_though_the_system_has_cleared_the_temporary_folder(tmp_path: Path) -> None:
    group, trouble = WorkerGroup(2, tmp_path, [], tmp_path), Trouble(sentence="A process has ended.")
    shutil.rmtree(group._folder.name)
    try:
        group._incoming.put(Packet.of("event", trouble))
        assert group.poll() == trouble
    finally:
        group.kill()


@pytest.mark.parametrize(
    ("reason", "must_return"),
    [("memory", True), ("fault", True), ("process", True), ("diverged", False), ("disk", False), ("plugin", False)],
)
def test_the_run_returns_when_a_process_is_lost_or_waits_for_a_step_that_was_given_up(
    reason: FinishReason, must_return: bool, tmp_path: Path
) -> None:
    """Otherwise the others would end a minute later, and that would be reported in place of what to do."""
    processes = OtherProcesses(Session(lambda _: None, PluginHost([]), tmp_path), [])
    processes._workers = WorkerGroup(2, tmp_path, [], tmp_path)
    try:
        ended = RunFinished(run=tmp_path, step=4, reason=reason, metrics={})
        processes._workers._incoming.put(Packet.of("event", ended))
        assert processes.poll(1.0) == ended and processes.must_return == must_return
    finally:
        processes.kill_workers()
