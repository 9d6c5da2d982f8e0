"""Promise 11: a run has one writer; a second is told which process it is, and a dead one's lock is taken over.

A killed run: test_atomic.py. A window that follows a terminal's run: tests/gui/views/runs/test_following.py.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.errors import UserError
from core.run_files.claiming import process_start_id
from core.run_folder import RunFolder, list_runs
from gui.main_window import MainWindow
from tests.core.examples import run_folder
from tests.gui.conftest import WAIT_MS
from tests.in_process import run_headlight
from tests.reliability import training_process
from tests.reliability.cases import Cases
from tests.reliability.training_process import (
    MAIN,
    ROOT,
    SLOW_STEPS,
    WINDOW_SCRIPT,
    has_intact_checkpoint,
    running,
    train,
    wait_for_checkpoint,
    wait_for_exit,
)

NUM_PROCESSES = 4
CLAIM_AND_CREATE_RUNS = """
import sys, time
from pathlib import Path
from core.errors import UserError
from core.run_folder import RunFolder
folder, rounds, won = Path(sys.argv[1]), int(sys.argv[2]), []
print("ready", flush=True)
start = float(sys.stdin.readline())
for number in range(2 * rounds):
    moment = start + number * 0.03
    time.sleep(max(0.0, moment - 0.005 - time.time()))
    while time.time() < moment:
        pass
    try:
        if number < rounds:
            RunFolder.open(folder / str(number)).claim()
        else:
            RunFolder.create_at(folder / str(number))
        won.append(number)
    except UserError as error:
        assert "is being written by process" in error.sentence or "is not empty" in error.sentence, error
print(*won, flush=True)
sys.stdin.read()  # stay alive: a run belongs to its process until that ends
"""


def next_words(process: subprocess.Popen[str]) -> list[str]:
    """The words of the process's next line."""
    assert process.stdout is not None
    return process.stdout.readline().split()


def test_one_of_several_simultaneous_processes_gets_the_run(tmp_path: Path, cases: Cases, full: bool) -> None:
    """The first half of the rounds claim existing runs, the second half create new ones."""
    rounds = 100 if full else 10
    for number in range(rounds):
        folder = run_folder(tmp_path)
        folder.release("stopped")
        folder.path.rename(tmp_path / str(number))
    command = [sys.executable, "-c", CLAIM_AND_CREATE_RUNS, str(tmp_path), str(rounds)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(NUM_PROCESSES)
    ]
    for process in processes:
        assert next_words(process) == ["ready"]
    start = time.time() + 0.1
    for process in processes:
        assert process.stdin is not None
        print(start, file=process.stdin, flush=True)
    winners = [number for process in processes for number in next_words(process)]
    for process in processes:
        _, errors = process.communicate("")
        assert process.returncode == 0, errors
    for number in range(2 * rounds):
        with cases.trying(f"{'claim' if number < rounds else 'create'} {number}"):
            assert winners.count(str(number)) == 1, winners.count(str(number))


def test_a_lock_does_not_belong_to_a_later_process_with_the_same_pid(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    folder.update(pid=os.getppid(), host=socket.gethostname(), pid_started="before the machine was switched off")
    RunFolder.open(folder.path).claim()
    folder.update(pid=os.getppid(), host=socket.gethostname(), pid_started=None)  # unknown on some systems
    with pytest.raises(UserError, match=rf"is being written by process {os.getppid()}\."):
        RunFolder.open(folder.path).claim()
    folder.update(pid=os.getppid(), host="another machine", pid_started=None)
    with pytest.raises(UserError, match="on another machine"):
        RunFolder.open(folder.path).claim()


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc to recognise zombies")
def test_the_lock_of_a_zombie_process_is_taken_over(tmp_path: Path) -> None:
    """As in a container whose first process does not reap its children."""
    folder = run_folder(tmp_path)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as writer:
        folder.update(pid=writer.pid, host=socket.gethostname(), pid_started=process_start_id(writer.pid))
        with pytest.raises(UserError, match=f"process {writer.pid}"):
            RunFolder.open(folder.path).claim()
        writer.kill()
        os.waitid(os.P_PID, writer.pid, os.WEXITED | os.WNOWAIT)
        RunFolder.open(folder.path).claim()


SECOND = "2026-11-20_19-03-11"
TERMINAL_THAT_WAITS = f"""
import sys, time
from core.machine.torch_import import stub_out_tracing
stub_out_tracing()
import torch
from core.cli import main
print("ready", flush=True)
time.strftime = lambda *_: {SECOND!r}  # by which runs are named
time.sleep(max(0.0, float(sys.stdin.readline()) - time.time()))
sys.exit(main(sys.argv[1:]))
"""


def run_written_by(process: subprocess.Popen[str], runs: Path) -> Path | None:
    """The run among these that the process is writing, if it has begun one."""
    return next((run for run in list_runs(runs) if RunFolder.open(run).state.pid == process.pid), None)


def test_two_terminals_begun_in_the_same_second_get_two_runs_and_one_is_told_who_writes_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both prepare the same data into an empty cache. The first is a separate process, the second this one."""
    import torch  # noqa: F401  (takes seconds, after which the two would not begin together)

    monkeypatch.setattr(time, "strftime", lambda *_: SECOND)
    runs = tmp_path / "runs"
    arguments = train(tmp_path, "--runs-dir", str(runs))[len(MAIN) :]
    with running([sys.executable, "-c", TERMINAL_THAT_WAITS, *arguments], cwd=ROOT, stdin=subprocess.PIPE) as first:
        assert next_words(first) == ["ready"] and first.stdin is not None
        print(time.time() + 0.1, file=first.stdin, flush=True)
        time.sleep(0.1)
        second = run_headlight(*arguments, "--set", "training.max_steps=20", cwd=tmp_path)
        assert second.returncode == 0, second.stderr
        while (run := run_written_by(first, runs)) is None:
            assert first.poll() is None, first.communicate()[1]
            time.sleep(0.01)
        (finished,) = set(list_runs(runs)) - {run}
        assert {run.name, finished.name} == {f"{SECOND}_tiny", f"{SECOND}_tiny_2"}
        wait_for_checkpoint(run, 20, first)
        second = run_headlight("train", "--resume", run, cwd=tmp_path)
        assert (second.returncode, len(second.stderr.splitlines())) == (2, 1), second.stderr
        assert f"is being written by process {first.pid}. Follow it in the window's Runs view" in second.stderr
        first.terminate()
        assert wait_for_exit(first)[0] == 143
    assert has_intact_checkpoint(run) and RunFolder.open(run).state.reason == "stopped"
    assert RunFolder.open(finished).state.reason == "max_steps"


def test_a_window_is_told_who_writes_the_run_and_continues_it_once_that_process_has_ended(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    workbench, strip = window.context.workbench, window.trouble_strip
    run = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "run")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as writer:
        writing = {"state": "learning", "pid": writer.pid, "pid_started": process_start_id(writer.pid)}
        RunFolder.open(run).update(host=socket.gethostname(), **writing)
        workbench.continue_run(run)
        qtbot.waitUntil(strip.isVisible, timeout=WAIT_MS)
        assert f"is being written by process {writer.pid}." in strip.sentence.text()
        assert "Follow it in the window's Runs view" in strip.advice.text()
        assert RunFolder.open(run).state.pid == writer.pid
        writer.communicate(b"\n")
    strip.dismiss()
    workbench.continue_run(run)
    qtbot.waitUntil(lambda: RunFolder.open(run).state.is_ours(), timeout=WAIT_MS)
    assert not strip.isVisible()


def test_a_second_window_is_told_who_writes_the_run_and_follows_it(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, full: bool
) -> None:
    """The first window is a separate process with the same folder of runs."""
    if not full:
        pytest.skip("takes seven seconds, for what the test above and test_following.py show: run with --full")
    runs, workbench, strip = window.context.runs_directory.path, window.context.workbench, window.trouble_strip
    settings = training_process.window(tmp_path)[3:]
    slow = [sys.executable, "-c", SLOW_STEPS.format(seconds=0.02) + WINDOW_SCRIPT, *settings]  # it would use a core
    with running(slow, cwd=ROOT, env=os.environ | {"HEADLIGHT_RUNS_DIR": str(runs)}) as writer:
        qtbot.waitUntil(lambda: bool(list_runs(runs)), timeout=WAIT_MS)
        (run,) = list_runs(runs)
        qtbot.waitUntil(lambda: RunFolder.open(run).state.last_step > 0, timeout=WAIT_MS)
        workbench.continue_run(run)
        qtbot.waitUntil(strip.isVisible, timeout=WAIT_MS)
        assert f"is being written by process {writer.pid}." in strip.sentence.text()
        assert "Follow it in the window's Runs view" in strip.advice.text()
        window.context.follower.follow(run)
        playhead = window.context.playhead
        qtbot.waitUntil(lambda: window.context.bridge.followed is not None, timeout=WAIT_MS)
        step = playhead.live_step
        qtbot.waitUntil(lambda: playhead.live_step > step + 20, timeout=WAIT_MS)
        assert RunFolder.open(run).state.pid == writer.pid
        writer.terminate()
        assert wait_for_exit(writer) == (143, "")
    assert has_intact_checkpoint(run)
    strip.dismiss()
    workbench.continue_run(run)  # no process writes it any more
    qtbot.waitUntil(lambda: RunFolder.open(run).state.is_ours(), timeout=WAIT_MS)
    assert not strip.isVisible()
