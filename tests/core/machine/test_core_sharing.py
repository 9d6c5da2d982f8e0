"""When waiting threads give their cores away: while the thread that takes the steps has to wait for a core itself."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.machine import core_sharing
from core.machine.core_sharing import CoreSharing
from core.training.threads import threads


@pytest.fixture
def sharing() -> Iterator[CoreSharing]:
    sharing = CoreSharing()
    yield sharing
    sharing.end()


@pytest.fixture
def schedstat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in place of what Linux tells of the thread, which a look reads at any time."""
    path = tmp_path / "schedstat"
    path.write_text("7000000000 0 12\n")
    monkeypatch.setattr(core_sharing, "_SCHEDSTAT", path)
    monkeypatch.setattr(core_sharing, "_LOOK_SECONDS", 0.0)
    return path


def _num_system_threads() -> int:
    return len(list(Path("/proc/self/task").iterdir())) if sys.platform == "linux" else threading.active_count()


def test_waiting_threads_give_their_cores_away_while_the_thread_lacks_one(
    sharing: CoreSharing, schedstat: Path
) -> None:
    with threads(2):
        sharing.look()
        assert not sharing.is_on
        num_before = _num_system_threads()
        schedstat.write_text("7000000000 60000000000 12\n")
        sharing.look()
        assert sharing.is_on and _num_system_threads() > num_before
        schedstat.write_text("7000000000 120000000000 12\n")
        sharing.look()
        assert sharing.is_on
        sharing.look()
        assert not sharing.is_on
        deadline = time.monotonic() + 60
        while _num_system_threads() > num_before:  # those of OpenMP end after the one that started them
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_single_thread_has_nobody_to_wait_for(sharing: CoreSharing, schedstat: Path) -> None:
    with threads(1):
        sharing.look()
        schedstat.write_text("7000000000 60000000000 12\n")
        sharing.look()
    assert not sharing.is_on


def test_a_system_that_does_not_tell_is_left_alone(sharing: CoreSharing, schedstat: Path) -> None:
    schedstat.unlink()
    with threads(2):
        sharing.look()
        sharing.look()
    assert not sharing.is_on


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a thread had no core")
def test_linux_tells_how_long_a_thread_was_without_a_core(
    sharing: CoreSharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core_sharing, "_LOOK_SECONDS", 0.0)
    monkeypatch.setattr(core_sharing, "_BUSY_SHARE", -1.0)
    with threads(2):
        sharing.look()
    assert sharing.is_on
