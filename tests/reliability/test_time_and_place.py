"""Promise 13: clocks that jump, sleep, unusual paths, no HOME, damaged settings, other locales.

A damaged window.json: tests/gui/test_preferences.py.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from itertools import count, product
from pathlib import Path

import numpy as np
import pytest

from core.run_folder import RunFolder, list_runs
from core.user_dirs import USER_DIRS
from tests.in_process import run_headlight
from tests.reliability import training_process
from tests.reliability.cases import Cases
from tests.reliability.training_process import (
    ASCII,
    FOLDER_NAMES,
    MAIN,
    NO_HOME,
    ROOT,
    SECONDS,
    bare_environment,
    has_intact_checkpoint,
    running,
    train,
    wait_for_checkpoint,
    wait_for_exit,
)

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals and paths")
SHORT_TRAINING = ("training.max_steps=3", "training.num_threads=1")


def assert_trains(command: list[str], **environment: str) -> None:
    """Require that the command trains to the end without a traceback or warning."""
    result = subprocess.run(command, env=os.environ | environment, capture_output=True, timeout=SECONDS)
    assert result.returncode == 0, result.stderr.decode(errors="replace")
    assert b"Traceback" not in result.stderr and b"Warning" not in result.stderr


@posix
def test_a_run_folder_may_have_any_path(tmp_path: Path, cases: Cases, full: bool) -> None:
    names = list(FOLDER_NAMES)
    for name in names if full else names[:1]:
        with cases.trying(name):
            run = tmp_path / os.fsdecode(FOLDER_NAMES[name])
            command = train(tmp_path, "--run-dir", str(run), *SHORT_TRAINING)
            if not full:
                result = run_headlight(*command[len(MAIN) :], cwd=tmp_path)
                assert result.returncode == 0, result.stderr
            else:
                assert_trains(command, **ASCII)
                command = [*MAIN, "train", "--resume", str(run), "--set", "training.max_steps=5"]
                assert_trains(command, **ASCII)
                assert RunFolder.open(run).state.last_step == 5
            assert has_intact_checkpoint(run)


def test_a_long_name_still_makes_a_folder(tmp_path: Path) -> None:
    names = [RunFolder.create(tmp_path, "日" * 100).path.name for _ in range(12)]
    assert len(set(names)) == 12 and max(len(os.fsencode(name)) for name in names) <= 255


def elsewhere() -> dict[str, str]:
    """The folders for settings and data without a home: set for the tests, not those of the user who runs them."""
    return {name: value for name, value in os.environ.items() if name.startswith("XDG_")}


@posix
def test_no_home_is_needed(tmp_path: Path, cases: Cases, full: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --full, only the window of test_signals.py starts in such an environment; here the terminal uses it."""
    known = {name: value for name, value in os.environ.items() if name == "PATH"}
    homes = {"not to be written": NO_HOME, "none": elsewhere()}
    for name, home in homes.items() if full else list(homes.items())[:1]:
        with cases.trying(name):
            run, environment = tmp_path / name, known | home
            command = train(tmp_path, "--run-dir", str(run), *SHORT_TRAINING)
            if not full:
                with monkeypatch.context() as patch:
                    for other in os.environ.keys() - environment.keys():
                        patch.delenv(other)
                    patch.setenv("HOME", environment["HOME"])
                    result = run_headlight(*command[len(MAIN) :], cwd=tmp_path)
            else:
                result = subprocess.run(command, env=environment, capture_output=True, text=True)
            assert result.returncode == 0 and "Traceback" not in result.stderr, result.stderr
            assert ("Prepared data cannot be kept in /proc/nowhere" in result.stderr) == ("HOME" in home), result.stderr
            assert USER_DIRS.user_cache_path.exists() == ("HOME" not in home)
            assert has_intact_checkpoint(run)


@posix
def test_a_window_needs_no_home_locale_or_plain_path(tmp_path: Path, cases: Cases, full: bool) -> None:
    if not full:
        pytest.skip("test_signals.py has a window in the first of these places: run with --full")
    homes = {"not to be written": NO_HOME, "none": elsewhere()}
    for place, home in product(FOLDER_NAMES, homes):
        with cases.trying(f"{place}; home: {home}"):
            runs = tmp_path / home / os.fsdecode(FOLDER_NAMES[place])
            environment = bare_environment(homes[home], runs)
            with running(training_process.window(tmp_path), cwd=ROOT, env=environment) as process:
                run = wait_for_run(runs, process)
                wait_for_checkpoint(run, 40, process)
                process.terminate()
                code, errors = wait_for_exit(process)
            assert code == 143 and "Traceback" not in errors, errors
            assert has_intact_checkpoint(run) and RunFolder.open(run).state.reason == "stopped"


def wait_for_run(runs: Path, process: subprocess.Popen[str]) -> Path:
    """Wait for the first run in a folder; return it."""
    deadline = time.monotonic() + SECONDS
    while not list_runs(runs):
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline, f"no run in {runs}"
        time.sleep(0.01)
    return list_runs(runs)[0]


def test_a_clock_that_jumps_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every 50 readings it jumps: an hour back, a day ahead, and to the right time."""
    jumps, calls, now = (0.0, -3600.0, 86_400.0), count(), time.time
    run = tmp_path / "run"
    words = train(tmp_path, "--run-dir", str(run), "training.max_steps=200", "training.validate_every=50")[len(MAIN) :]
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: now() + jumps[next(calls) // 50 % 3])
        result = run_headlight(*words, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    steps, arrays = RunFolder.open(run).metrics()
    assert steps.tolist() == list(range(1, 201)) and (np.diff(arrays["time"]) < -1000).any()
    assert all(np.isfinite(values).all() for values in arrays.values())
    assert (arrays["train/target_tokens_per_second"] > 0).all()


@pytest.mark.parametrize(("clock", "created"), [(-1e9, 0.0), (1e11, 32_503_680_000.0)])
def test_a_clock_far_in_the_past_or_future_damages_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: float, created: float
) -> None:
    """On Windows it can be set to any year from 1601 on."""
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: clock)
        result = run_headlight(
            *train(tmp_path, "--run-dir", str(tmp_path / "run"), *SHORT_TRAINING)[len(MAIN) :], cwd=tmp_path
        )
    assert result.returncode == 0, result.stderr
    assert RunFolder.open(tmp_path / "run").state.created == created


@posix
def test_a_process_that_is_stopped_and_woken_continues(tmp_path: Path, full: bool) -> None:
    if not full:
        pytest.skip("takes seven seconds: run with --full")
    run = tmp_path / "run"
    with running(train(tmp_path, "--run-dir", str(run), "training.max_steps=600")) as process:
        wait_for_checkpoint(run, 40, process)
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.0)
        before = RunFolder.open(run).state.last_step
        time.sleep(0.2)
        assert RunFolder.open(run).state.last_step == before
        process.send_signal(signal.SIGCONT)
        code, errors = wait_for_exit(process)
    assert code == 0, errors
    assert RunFolder.open(run).metrics()[0].tolist() == list(range(1, 601))


COUNT_SLOW_PAIRS = """
import sys
from pathlib import Path
from core.plugins_host.host import PluginHost
from core.plugins_host.split_drawing import draw_lines
with PluginHost([Path(sys.argv[1])], pairs_timeout=3.0) as host:
    print(sum(map(len, draw_lines(host, "slow", {}, 0, "train"))))
"""
SUSPENDING_PLUGIN = """
import os, signal, time
from core.plugin import DatasetPlugin, Options, Pair

class Suspending(DatasetPlugin[Options]):
    name = "slow"
    title = "Slow"

    def pairs(self, split, rng):
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(3.5)
        os.kill(os.getppid(), signal.SIGCONT)
        time.sleep(0.5)  # the host checks its timeout meanwhile
        yield Pair("a", "b")

PLUGIN = Suspending
"""


@posix
def test_sleep_does_not_count_towards_a_plugins_time_limit(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SUSPENDING_PLUGIN, encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-c", COUNT_SLOW_PAIRS, str(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )
    assert (result.stdout, result.stderr) == ("1\n", "")


GERMAN_WINDOW = """
import locale, sys
from core.machine.torch_import import stub_out_tracing
stub_out_tracing()
from PySide6.QtCore import QLocale, QTimer
from PySide6.QtWidgets import QApplication
from core.engine import Engine
from gui import app
from gui.main_window import MainWindow
application, steps = QApplication(sys.argv), []
assert QLocale.system().decimalPoint() == "," and locale.localeconv()["decimal_point"] == ","
def poll():
    for window in application.topLevelWidgets():
        if isinstance(window, MainWindow):
            workbench, state = window.context.workbench, window.context.bridge.state
            if state == "ready" and not steps:
                editor = window.setup_drawer.forms.form("training").rows["training.optimizer.learning_rate"].editor
                editor.setText("0.00125")
                editor.textEdited.emit("0.00125")
                steps.append(workbench.learn(2))
            elif state == "paused":
                print(workbench.applied.training.optimizer.learning_rate, window.status_bar.isVisible())
                timer.stop()
                window.close()
timer = QTimer()
timer.timeout.connect(poll)
timer.start(50)
with Engine() as engine:
    sys.exit(app.run(sys.argv, engine))
"""


@pytest.fixture
def german(tmp_path: Path, full: bool) -> dict[str, str]:
    """The environment of a German desktop; its locale is built from the system's sources."""
    if not full:
        pytest.skip("takes eight seconds: run with --full")
    if shutil.which("localedef") is None or not Path("/usr/share/i18n/locales/de_DE").exists():
        pytest.skip("needs the source files of locales")
    folder = tmp_path / "locales"
    folder.mkdir()
    command = ["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")]
    subprocess.run(command, check=True, capture_output=True)
    return {"LOCPATH": str(folder), "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}


def test_a_german_desktop_reads_and_writes_the_same_numbers(german: dict[str, str], home: Path) -> None:
    """The window's settings are damaged as well."""
    settings = home / "config" / "headlight" / "window.json"
    settings.parent.mkdir(parents=True)
    settings.write_bytes(b'{"zoom": "\xff')
    command, environment = [sys.executable, "-c", GERMAN_WINDOW], os.environ | german
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS)
    assert (result.returncode, result.stdout, result.stderr) == (0, "0.00125 True\n", "")
    (run,) = list_runs(home / "runs")
    folder = RunFolder.open(run)
    assert folder.config().training.optimizer.learning_rate == 0.00125
    assert all(json.loads(line)["time"] > 0 for line in (run / "metrics.jsonl").read_text().splitlines())
