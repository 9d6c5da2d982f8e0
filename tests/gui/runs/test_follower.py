"""A run that another process writes is followed to its very end."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.run_files.state import RunState
from core.run_folder import RunFolder, RunLabel
from gui.bridge import EngineBridge
from gui.playhead import Playhead
from gui.runs.follower import Follower
from gui.runs.rows import example_path
from tests.gui.conftest import WAIT_MS


@pytest.fixture
def follower(bridge: EngineBridge) -> Iterator[Follower]:
    made = Follower(bridge, Playhead())
    yield made
    made.stop()


def test_an_error_of_a_previous_run_does_not_end_following_the_next(
    follower: Follower, qtbot: QtBot, tmp_path: Path
) -> None:
    run, bridge = shutil.copytree(example_path(), tmp_path / "run"), follower._bridge
    sentences: list[str] = []
    bridge.trouble.connect(lambda trouble: sentences.append(trouble.sentence))
    follower.follow(tmp_path / "gone")
    follower.follow(run)
    completed: list[None] = []
    bridge.run_in_background(lambda: None, completed.append)
    qtbot.waitUntil(lambda: bool(completed), timeout=WAIT_MS)
    assert follower.run == run and bridge.followed is not None and not sentences
    follower.follow(tmp_path / "gone")
    qtbot.waitUntil(lambda: bool(sentences), timeout=WAIT_MS)
    assert follower.run is None and "gone" in sentences[0]


def test_a_run_that_cannot_be_followed_leaves_the_viewed_step_as_it_was(
    follower: Follower, qtbot: QtBot, tmp_path: Path
) -> None:
    playhead, sentences = follower._playhead, list[str]()
    follower._bridge.trouble.connect(lambda trouble: sentences.append(trouble.sentence))
    playhead.advance(20)
    playhead.view(5)
    follower.follow(tmp_path / "gone")
    qtbot.waitUntil(lambda: bool(sentences), timeout=WAIT_MS)
    assert follower.run is None and playhead.step == 5 and not playhead.is_live


@pytest.mark.parametrize("leaves_metrics", [False, True])
def test_following_a_run_that_is_moved_or_deleted_ends_with_advice(
    follower: Follower, qtbot: QtBot, tmp_path: Path, leaves_metrics: bool
) -> None:
    run, messages = shutil.copytree(example_path(), tmp_path / "run"), list[tuple[str, str]]()
    RunFolder.open(run).update(state="learning", pid=os.getppid(), host=socket.gethostname(), pid_started=None)
    follower._bridge.trouble.connect(lambda trouble: messages.append((trouble.sentence, trouble.advice)))
    follower.follow(run)
    qtbot.waitUntil(lambda: follower.writer is not None, timeout=WAIT_MS)
    run.rename(tmp_path / "moved")
    if leaves_metrics:  # its process appends to them while it is being deleted
        run.mkdir()
        (run / "metrics.jsonl").touch()
    qtbot.waitUntil(lambda: bool(messages), timeout=WAIT_MS)
    [(sentence, advice)] = messages
    assert sentence == "toy_german_english is no longer followed: its folder is gone."
    assert "Runs lists it there" in advice and follower.run is None


def test_a_run_renamed_while_followed_has_the_new_name_at_its_end(
    follower: Follower, qtbot: QtBot, tmp_path: Path
) -> None:
    writing = RunFolder.open(shutil.copytree(example_path(), tmp_path / "run"))
    writing.update(state="learning", pid=os.getppid(), host=socket.gethostname(), pid_started=None)
    follower.follow(writing.path)
    qtbot.waitUntil(lambda: follower.writer is not None, timeout=WAIT_MS)
    writing.write_label(RunLabel(name="my run"))
    writing.update(pid=None, host=None)
    qtbot.waitUntil(lambda: follower.status == "my run is no longer being written", timeout=WAIT_MS)


def test_the_last_lines_of_an_ended_process_are_read(
    follower: Follower, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = shutil.copytree(example_path(), tmp_path / "run")
    writing = RunFolder.open(run)
    writing.update(state="learning", pid=os.getppid(), host=socket.gethostname(), pid_started=None)
    follower.follow(run)
    qtbot.waitUntil(lambda: follower.writer is not None, timeout=WAIT_MS)

    def ends_now(_: RunState) -> None:
        """End the run right after its curves were read, with one more step."""
        if writing.state.pid is not None:
            steps, arrays = writing.metrics()
            writing.append_metrics(int(steps[-1]) + 1, {name: values[-1:] for name, values in arrays.items()})
            writing.update(pid=None, host=None)

    monkeypatch.setattr(RunState, "writer", ends_now)
    qtbot.waitUntil(lambda: follower.writer is None, timeout=WAIT_MS)
    shown = follower._bridge
    qtbot.waitUntil(lambda: shown.followed is not None and shown.followed.last_step == 801, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not follower._timer.isActive(), timeout=WAIT_MS)
