"""Promise 9: random input while a model trains causes no crash and no hang, loses nothing and leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.engine import Engine
from core.events import Progress, StateChanged, StepsDone, Trouble
from core.plugins_host.host import PluginHost
from core.requests import CheckPlugin, Evaluate, Learn, Pause, Prepare, SearchBeam, SetProcesses, Start, Translate
from core.run_folder import RunFolder, list_runs
from gui.main_window import MainWindow
from gui.runs.rows import example_path
from tests.core.processes.worker_pids import worker_pids
from tests.core.watcher import Watcher, tiny_config
from tests.gui.conftest import SMALL, WAIT_MS
from tests.gui.windows import opened_window
from tests.reliability.cases import Cases
from tests.reliability.monkey import LONG_TRAINING, OTHER_RUNS, Monkey, answer_dialogs
from tests.reliability.training_process import ROOT, running, wait_for_exit

Reached = Callable[[], bool]

NUM_LIVES, NUM_ACTS, NUM_FEW_ACTS = 40, 250, 100  # windows, actions in each, and actions in the only one without --full
LEAST_LEARNING = 1 / 10  # the least share of actions during learning, when most can be lost
DIVERGING = (
    "optimizer: {name: sgd, learning_rate: 100.0, momentum: 0.9}, "
    "schedule: {name: constant, warmup_steps: 0}, max_grad_norm: null"
)
HANG_S = 10.0  # generous, since the machine may be busy
ALL_GONE_S = 180.0  # processes wait a minute for one that hangs, and torchrun half a minute


def play(window: MainWindow, qtbot: QtBot, seed: int, num_acts: int) -> tuple[int, int]:
    """Perform random actions on a window, then close it whatever it is doing.

    Return how many actions found it learning, and how many chose something from a menu or list.
    """
    window.rail.setup_button.click()
    monkey, num_learning = Monkey(window, seed), 0
    for number in range(num_acts):
        num_learning += window.context.bridge.state == "learning"
        started = time.monotonic()
        action = monkey.act()
        QApplication.processEvents()
        assert time.monotonic() - started < HANG_S, f"action {number}, {action}, took too long"
        trouble = window.trouble_strip.trouble
        assert trouble is None or not trouble.details, trouble  # a UserError may be shown, a bug may not
    close(window, qtbot)
    return num_learning, monkey.num_choices


def close(window: MainWindow, qtbot: QtBot) -> None:
    """Close the window as a user does, and wait until it has ended with exit code 0."""
    exit_codes: list[int] = []
    window.closing.finished.connect(exit_codes.append)
    window.close()
    qtbot.waitUntil(lambda: exit_codes == [0], timeout=WAIT_MS)


def add_run_of_another_process(folder: Path) -> Path:
    """Add a run to follow, whose writer is a live process: the parent of the tests."""
    theirs = folder / "runs" / "theirs"
    shutil.copytree(example_path(), theirs)
    RunFolder.open(theirs).update(state="learning", pid=os.getppid(), host=socket.gethostname(), pid_started=None)
    return theirs


def assert_all_saved(runs_dir: Path) -> None:
    """Require that every run is saved up to its last step and has no writer left in this process."""
    for path in list_runs(runs_dir):
        run = RunFolder.open(path)
        assert run.state.pid in (None, os.getppid()), path
        step = run.checkpoint_step("last")
        assert run.checkpoint(step).step == step >= run.last_trained_step() * (run.state.state != "failed"), path
        run.metrics()
        for known in run.probe_steps():
            run.probe(known)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Split the full list of windows into pieces."""
    if "lives" in metafunc.fixturenames:
        pieces = [range(at, at + 10) for at in range(0, NUM_LIVES, 10)]
        metafunc.parametrize("lives", pieces if metafunc.config.getoption("--full") else [range(1)], ids=str)


@pytest.mark.qt_log_ignore("This plugin does not support")  # of the offscreen platform, when a window opens
def test_random_actions_crash_nothing_and_lose_nothing(
    lives: range, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cases: Cases, full: bool
) -> None:
    num_acts, num_learning, num_choices = NUM_ACTS if full else NUM_FEW_ACTS, 0, 0
    for seed in lives:
        folder = tmp_path / str(seed)
        folder.mkdir()
        answer_dialogs(monkeypatch, folder, seed)
        with cases.trying(f"random clicks with seed {seed}"), qtbot.capture_exceptions() as exceptions:
            with opened_window(folder) as window:
                add_run_of_another_process(folder)
                window.setup_drawer.open_file(folder / "good.yaml")
                window.context.workbench.learn()
                learning, choices = play(window, qtbot, seed, num_acts)
                num_learning, num_choices = num_learning + learning, num_choices + choices
            assert_all_saved(folder / "runs")
            assert_all_saved(folder / OTHER_RUNS)
            assert not exceptions
    least = LEAST_LEARNING * num_acts * len(lives)
    assert num_learning >= least and num_choices >= len(lives), (num_learning, num_choices)


def starting(window: MainWindow, folder: Path) -> Reached:
    return lambda: window.context.bridge.state == "starting"


def filled(window: MainWindow, folder: Path) -> Reached:
    window.start()
    return lambda: window.context.bridge.state != "starting"


def preparing(window: MainWindow, folder: Path) -> Reached:
    reached = heard_of_preparing(window)
    window.setup_drawer.open_file(folder / "good.yaml")
    return reached


def heard_of_preparing(window: MainWindow) -> Reached:
    """Whether the engine has reported that state, even if it ended within the same tick."""
    events: list[StateChanged] = []
    window.context.bridge.state_changed.connect(events.append)
    return lambda: any(change.state == "preparing" for change in events)


def ready(window: MainWindow, folder: Path) -> Reached:
    window.setup_drawer.open_file(folder / "good.yaml")
    return lambda: window.context.bridge.state == "ready"


def learning(window: MainWindow, folder: Path) -> Reached:
    learn(window, folder)
    return lambda: window.context.bridge.history.last_step > 1


def paused(window: MainWindow, folder: Path) -> Reached:
    learn(window, folder, steps=3)
    return lambda: window.context.bridge.state == "paused"


def finished(window: MainWindow, folder: Path) -> Reached:
    (folder / "good.yaml").write_text(SMALL, encoding="utf-8")
    learn(window, folder)
    return lambda: window.context.bridge.state == "finished"


def failed(window: MainWindow, folder: Path) -> Reached:
    text = (folder / "good.yaml").read_text(encoding="utf-8")
    high = text.replace("training: {", f"training: {{{DIVERGING}, ")
    (folder / "good.yaml").write_text(high, encoding="utf-8")
    learn(window, folder)
    return lambda: window.context.bridge.state == "failed"


def opening(window: MainWindow, folder: Path) -> Reached:
    reached = heard_of_preparing(window)
    window.context.workbench.open_run(example_path())
    return reached


def opened(window: MainWindow, folder: Path) -> Reached:
    window.context.workbench.open_run(example_path())
    return lambda: window.context.bridge.history.last_step == 800


def following(window: MainWindow, folder: Path) -> Reached:
    window.context.follower.follow(add_run_of_another_process(folder))
    return lambda: window.context.bridge.followed is not None


def asking_for_a_run_to_follow(window: MainWindow, folder: Path) -> Reached:
    window.context.follower.follow(add_run_of_another_process(folder))
    return lambda: True


def two_processes_learning(window: MainWindow, folder: Path) -> Reached:
    window.setup_drawer.processes_row.spin.setValue(2)
    learn(window, folder)
    return lambda: window.context.bridge.history.last_step > 1 and sorted(worker_pids()) == [0, 1]


def evaluating(window: MainWindow, folder: Path) -> Reached:
    """Reached when the test split is being evaluated: a translation asked for after it has been answered."""
    futures: list[Future[Any]] = []

    def is_running() -> bool:
        if window.context.bridge.state == "paused" and all(one.done() for one in futures):
            futures.clear()  # both were answered before this check
            requests = (Evaluate(split="test"), Translate(texts=("1 2",)))
            futures.extend(map(window.context.bridge.ask, requests))
        return bool(futures) and futures[1].done() and not futures[0].done()

    learn_to_decode_slowly(window, folder)
    return is_running


def searching_a_beam(window: MainWindow, folder: Path) -> Reached:
    """Reached when the engine has taken the request and not yet answered."""
    bridge, search = window.context.bridge, SearchBeam(source="1 2", beam_size=16, length_penalty=0.6)
    futures: list[Future[Any]] = []

    def is_running() -> bool:
        if bridge.state == "paused" and all(one.done() for one in futures):
            futures.append(bridge.ask(search))
        return bool(futures) and bridge.engine._inbox.empty() and not futures[-1].done()

    learn_to_decode_slowly(window, folder)
    return is_running


def checking_a_plugin(window: MainWindow, folder: Path) -> Reached:
    events: list[Progress] = []
    window.context.bridge.progressed.connect(events.append)
    window.context.bridge.ask(CheckPlugin(plugin="copy_task"))
    return lambda: any(one.stage.startswith("checking ") for one in events)


def learn(window: MainWindow, folder: Path, steps: int | None = None) -> None:
    """Learn as soon as the engine is ready."""
    window.setup_drawer.open_file(folder / "good.yaml")
    window.context.workbench.learn(steps)


def learn_to_decode_slowly(window: MainWindow, folder: Path) -> None:
    """Take a few steps with settings under which decoding takes long."""
    (folder / "good.yaml").write_text(f"{LONG_TRAINING}decoding: {{beam_size: 8, max_length: 200}}\n", encoding="utf-8")
    learn(window, folder, steps=3)


HANG = """
import time
open({reached!r}, "a").write("x")
time.sleep(1000)
"""


def test_closing_does_not_wait_for_plugins_that_hang_while_they_are_listed(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugins, reached = tmp_path / "plugins", tmp_path / "reached"
    plugins.mkdir()
    for name in ("first", "second"):
        (plugins / f"{name}.py").write_text(HANG.format(reached=str(reached)), encoding="utf-8")
    monkeypatch.setenv("HEADLIGHT_PLUGINS", str(plugins))
    monkeypatch.setattr(PluginHost, "__init__", partialmethod(PluginHost.__init__, describe_timeout=1000.0))
    with opened_window(tmp_path) as window:
        qtbot.waitUntil(reached.exists, timeout=WAIT_MS)
        close(window, qtbot)


# The stage at which a window is closed -> the state of the run that it leaves, if any.
STAGES: dict[Callable[[MainWindow, Path], Reached], str | None] = {
    **dict.fromkeys((starting, filled, preparing, ready, opening, opened, checking_a_plugin)),
    **dict.fromkeys((learning, paused, evaluating, searching_a_beam, two_processes_learning), "stopped"),
    finished: "finished",
    failed: "failed",
    **dict.fromkeys((following, asking_for_a_run_to_follow), "learning"),  # by the other process
}
# The plugin host is idle at these stages, as at `ready`, where closing ends one.
WITH_SHARED_HOST = (opened, paused, searching_a_beam, finished, failed, following, asking_for_a_run_to_follow)


@pytest.mark.parametrize("stage", STAGES)
def test_closing_at_any_stage(
    qtbot: QtBot,
    tmp_path: Path,
    stage: Callable[[MainWindow, Path], Reached],
    full: bool,
    shared_host: PluginHost,
    request: pytest.FixtureRequest,
) -> None:
    if stage is two_processes_learning and (not full or sys.platform != "linux"):
        pytest.skip("needs torchrun on Linux, which takes seconds to start: run with --full")
    if stage in WITH_SHARED_HOST:
        request.getfixturevalue("engines_share_a_host")
    (tmp_path / "good.yaml").write_text(LONG_TRAINING, encoding="utf-8")
    with opened_window(tmp_path) as window:
        qtbot.waitUntil(stage(window, tmp_path), timeout=WAIT_MS)
        close(window, qtbot)
    assert_all_saved(tmp_path / "runs")
    assert worker_pids() == {}
    states = [RunFolder.open(run).state.state for run in list_runs(tmp_path / "runs")]
    assert states == [state for state in [STAGES[stage]] if state is not None]


ENGINE_SCRIPT = """
import sys
from pathlib import Path
from core.engine import Engine
from core.events import StepsDone
from core.requests import Learn, Prepare, SetProcesses, Start
from tests.core.watcher import Watcher, tiny_config
watcher, place = Watcher(), Path(sys.argv[1])
with Engine([watcher], cache_dir=place / "cache") as engine:
    for request in (Prepare(config=tiny_config(max_steps=10**6)), SetProcesses(num_processes=2)):
        engine.ask(request).result()
    engine.ask(Start(runs_dir=place, run_dir=place / "run")).result()
    engine.ask(Learn())
    watcher.wait(StepsDone)
    print("learning", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs torchrun and /proc on Linux")
@pytest.mark.parametrize("hanging", [None, 0, 1])
def test_a_killed_engine_leaves_a_checkpoint_and_no_processes(
    hanging: int | None, tmp_path: Path, cases: Cases, full: bool
) -> None:
    """The window's engine is killed while two processes train for it, in two cases while one of them hangs."""
    if not full:
        pytest.skip("starts torchrun and waits for a process that hangs, which takes seconds: run with --full")
    with cases.trying(f"killed while {hanging} hangs"):
        with running([sys.executable, "-c", ENGINE_SCRIPT, str(tmp_path)], cwd=ROOT, stdin=subprocess.PIPE) as engine:
            assert engine.stdout is not None and engine.stdout.readline() == "learning\n", wait_for_exit(engine)
            started = worker_pids()
            assert sorted(started) == [0, 1]
            if hanging is not None:
                os.kill(started[hanging], signal.SIGSTOP)
            engine.kill()
        deadline = time.monotonic() + ALL_GONE_S
        while worker_pids() and time.monotonic() < deadline:
            time.sleep(0.1)
        assert worker_pids() == {}
        run = RunFolder.open(tmp_path / "run")
        run.require_no_writer()
        is_saved = hanging != 0  # the first process saves
        assert run.checkpoint(run.checkpoint_step("last")).step > 0 or not is_saved


@pytest.mark.skipif(sys.platform != "linux", reason="needs torchrun and /proc on Linux")
@pytest.mark.parametrize("is_paused", [False, True])
@pytest.mark.parametrize("rank", [0, 1])
def test_a_run_continues_after_one_of_two_processes_is_killed(
    rank: int, is_paused: bool, tmp_path: Path, cases: Cases, full: bool
) -> None:
    """While they train or are paused; if the first survives, no step is lost."""
    if not full:
        pytest.skip("torchrun takes seconds to start: run with --full; tests/core/processes covers two of these cases")
    watcher = Watcher()
    with cases.trying(f"process {rank} killed, paused: {is_paused}"), Engine([watcher], cache_dir=tmp_path) as engine:
        engine.ask(Prepare(config=tiny_config(max_steps=10**6))).result()
        engine.ask(SetProcesses(num_processes=2)).result()
        run = RunFolder.open(engine.ask(Start(runs_dir=tmp_path / "runs")).result())
        engine.ask(Learn())
        watcher.wait(StepsDone)
        last_reported = engine.ask(Pause()).result() if is_paused else watcher.steps()[-1]
        watcher.events.clear()
        os.kill(worker_pids()[rank], signal.SIGKILL)
        watcher.wait(StateChanged, lambda change: change.state == "preparing")
        watcher.wait(StateChanged, lambda change: change.state == "paused" and not worker_pids())
        assert [trouble.sentence for trouble in watcher.all(Trouble)]
        assert rank == 0 or run.reread_state().last_step >= last_reported
        engine.ask(SetProcesses(num_processes=1)).result()
        engine.ask(Learn(steps=3)).result()
