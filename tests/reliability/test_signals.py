"""Promise 3: a signal saves within one step and exits with 128 + n; a closed pipe or terminal is no error.

Exact resume after SIGINT and SIGHUP: tests/test_end_to_end.py. Signals to an idle window: tests/gui/test_app.py;
closing it at every stage: test_window.py.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from core.machine.signals import STOP_SIGNALS
from core.run_folder import RunFolder, is_run, list_runs
from tests.in_process import run_headlight
from tests.reliability.cases import Cases
from tests.reliability.run_digests import assert_same, digests
from tests.reliability.training_process import (
    FOLDER_NAMES,
    MAIN,
    NO_HOME,
    ROOT,
    SECONDS,
    SLOW_STEPS,
    WINDOW_SCRIPT,
    bare_environment,
    has_intact_checkpoint,
    running,
    train,
    wait_for_exit,
    window,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")

SELDOM_SAVED = "training.checkpoint_every=100000"
SECONDS_A_STEP = 0.3  # so that a signal arrives in the midst of a step
RECORD_STOP_TIME = """
import sys, threading, time
from core.machine.torch_import import stub_out_tracing
stub_out_tracing()
from core.engine import Engine
from core.requests import Close, Stop
ask, is_stop_requested = Engine.ask, threading.Event()
def ask_and_record(engine, request):
    answer = ask(engine, request)
    if isinstance(request, (Stop, Close)) and not is_stop_requested.is_set():
        with open({time_file!r}, "w") as file:
            print(time.time(), file=file)
        is_stop_requested.set()
    return answer
Engine.ask = ask_and_record
"""
TERMINAL_SCRIPT = """
from core.cli import main
sys.exit(main(sys.argv[1:]))
"""
SIGNAL_WHILE_DECODING = """
import os
from core.training import validation
decode, calls = validation.decode, []
def decode_interrupted(*arguments, **options):
    calls.append(arguments)
    if len(calls) == 3:
        os.kill(os.getpid(), {number})
        is_stop_requested.wait(60)
    with open({count_file!r}, "w") as file:
        print(len(calls), file=file)
    return decode(*arguments, **options)
validation.decode = decode_interrupted
"""
SIGNAL_WHILE_STARTING = """
import os, signal, sys, time
from core.machine.torch_import import stub_out_tracing
stub_out_tracing()
from core.machine.signals import ending_signal
from core.serving import session
create_run_folder = session.create_run_folder
def create_run_folder_interrupted(*arguments):
    folder = create_run_folder(*arguments)
    os.kill(os.getpid(), signal.SIGTERM)
    while ending_signal() is None:
        time.sleep(0.01)
    return folder
session.create_run_folder = create_run_folder_interrupted
"""
MAIN_WITHOUT_TIMEOUTS = """
import sys
from core.machine.torch_import import stub_out_tracing
stub_out_tracing()
from core.plugins_host import host, host_process
# After the first signal, the plugin may take as long, too: if the test waits for it, pytest-timeout fails it.
host_process.STOPPING_SECONDS = host.PluginHost.__init__.__kwdefaults__["pairs_timeout"] = 1000.0
from core.cli import main
sys.exit(main(sys.argv[1:]))
"""
HANGING_PLUGIN = """
import time
from core.plugin import DatasetPlugin, Options, Pair

class Hanging(DatasetPlugin[Options]):
    name = "hanging"
    title = "Hanging"

    def pairs(self, split, rng):
        return [Pair("ab", "ba")] * 20

    def metrics(self, pairs, hypotheses):
        open({reached!r}, "w").close()
        time.sleep(1000)

PLUGIN = Hanging
"""


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def has_lines(path: Path, count: int) -> bool:
    return path.exists() and path.read_bytes().count(b"\n") >= count


def has_run_with_lines(runs: Path, count: int) -> bool:
    return any(has_lines(run / "metrics.jsonl", count) for run in list_runs(runs))


def test_a_signal_saves_within_one_step(tmp_path: Path, cases: Cases, full: bool) -> None:
    for number in STOP_SIGNALS if full else (signal.SIGINT,):
        for steps in (2, 3, 10) if full else (2,):
            with cases.trying(f"{number.name} after {steps} steps"):
                run, time_file = tmp_path / f"{number.name} {steps}", tmp_path / f"{number.name} {steps}.txt"
                arguments = train(tmp_path, "--run-dir", str(run), SELDOM_SAVED)[len(MAIN) :]
                script = SLOW_STEPS.format(seconds=SECONDS_A_STEP) + TERMINAL_SCRIPT
                with running(recording_stop(time_file, script, *arguments), cwd=ROOT) as process:
                    wait_until(partial(has_lines, run / "metrics.jsonl", steps))
                    process.send_signal(number)
                    code, errors = wait_for_exit(process)
                assert code == 128 + number, errors
                require_saved_within_a_step(run, float(time_file.read_text()))


def test_a_signal_while_a_new_run_is_made_says_what_is_saved(tmp_path: Path) -> None:
    run = tmp_path / "run"
    arguments = train(tmp_path, "--run-dir", str(run))[len(MAIN) :]
    with running([sys.executable, "-c", SIGNAL_WHILE_STARTING + TERMINAL_SCRIPT, *arguments], cwd=ROOT) as process:
        code, errors = wait_for_exit(process)
    assert code == 128 + signal.SIGTERM and f"saved: {run / 'checkpoints' / '000000'}" in errors, errors


def recording_stop(time_file: Path, script: str, *arguments: str) -> list[str]:
    """The command that runs a script and writes to `time_file` when a signal reaches its engine."""
    return [sys.executable, "-c", RECORD_STOP_TIME.format(time_file=str(time_file)) + script, *arguments]


def require_saved_within_a_step(run: Path, stop_time: float) -> None:
    """Require at most one step, the current one, after the signal arrived, and everything saved."""
    steps, arrays = RunFolder.open(run).metrics()
    assert (arrays["time"] > stop_time).sum() <= 1
    assert RunFolder.open(run).checkpoint_step("last") == steps[-1] and has_intact_checkpoint(run)


def test_a_signal_to_a_window_that_is_training_saves_within_one_step(tmp_path: Path, cases: Cases, full: bool) -> None:
    """The window has no home, no locale and no plain path; test_time_and_place.py starts more of these."""
    place = os.fsdecode(next(iter(FOLDER_NAMES.values())))
    for number in STOP_SIGNALS if full else (signal.SIGTERM,):
        with cases.trying(number.name):
            runs, time_file = tmp_path / number.name / place, tmp_path / f"{number.name}.txt"
            environment, settings = bare_environment(NO_HOME, runs), window(tmp_path, SELDOM_SAVED)[3:]
            script = SLOW_STEPS.format(seconds=SECONDS_A_STEP) + WINDOW_SCRIPT
            with running(recording_stop(time_file, script, *settings), cwd=ROOT, env=environment) as process:
                wait_until(partial(has_run_with_lines, runs, 2))
                process.send_signal(number)
                code, errors = wait_for_exit(process)
            assert (code, without_note_on_locale(errors)) == (128 + number, "")
            (run,) = list_runs(runs)
            require_saved_within_a_step(run, float(time_file.read_text()))
            assert RunFolder.open(run).state.reason == "stopped"


def without_note_on_locale(errors: str) -> str:
    """What a window printed, without Qt's four lines about a locale that is not UTF-8."""
    return re.sub(r"\ADetected locale .*?for more information\.\n", "", errors, flags=re.DOTALL)


def test_a_signal_interrupts_a_validation_that_is_decoding(tmp_path: Path, cases: Cases, full: bool) -> None:
    """It stops between two batches; the resumed run repeats the validation and equals an uninterrupted run."""
    command = train(tmp_path, "training.max_steps=8", "training.validate_every=5", "decoding.beam_size=16")
    plain = run_headlight(*command[len(MAIN) :], "--run-dir", "plain", cwd=tmp_path)
    assert plain.returncode == 0, plain.stderr
    for number in STOP_SIGNALS if full else (signal.SIGTERM,):
        with cases.trying(number.name):
            run, counts = tmp_path / number.name, tmp_path / f"{number.name}.txt"
            script = SIGNAL_WHILE_DECODING.format(number=int(number), count_file=str(counts)) + TERMINAL_SCRIPT
            time_file = tmp_path / f"{number.name} time.txt"
            with running(
                recording_stop(time_file, script, *command[len(MAIN) :], "--run-dir", str(run)), cwd=ROOT
            ) as process:
                code, errors = wait_for_exit(process)
            assert code == 128 + number and "stopped at step 5" in errors, errors
            assert int(counts.read_text()) == 3, counts.read_text()  # of 7 batches; the signal came in the third
            folder = RunFolder.open(run)
            assert (folder.state.last_step, folder.validation_metrics()) == (5, {}) and has_intact_checkpoint(run)
            resumed = run_headlight("train", "--resume", run, cwd=tmp_path)
            assert resumed.returncode == 0, resumed.stderr
            assert list(folder.validation_metrics()) == [5, 8]
            assert_same(digests(run), digests(tmp_path / "plain"))


def test_a_second_ctrl_c_ends_the_process_at_once(tmp_path: Path) -> None:
    plugins, reached = tmp_path / "plugins", tmp_path / "reached"
    plugins.mkdir()
    (plugins / "hanging.py").write_text(HANGING_PLUGIN.format(reached=str(reached)), encoding="utf-8")
    plugin = ("dataset={plugin: hanging}", "training.validate_every=5", "training.checkpoint_every=2")
    run = tmp_path / "run"
    arguments = train(tmp_path, "--run-dir", str(run), "--plugins-dir", str(plugins), *plugin)[len(MAIN) :]
    with running([sys.executable, "-c", MAIN_WITHOUT_TIMEOUTS, *arguments], cwd=ROOT) as process:
        wait_until(reached.exists)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        for line in process.stderr:
            if "SIGINT was received: this ends after the current step or answer" in line:
                break
        time.sleep(1.5)  # it is not printed again
        process.send_signal(signal.SIGINT)
        code, errors = wait_for_exit(process)
    assert code == 130 and f"ended at once by SIGINT; the run is {run}" in errors
    assert "was received" not in errors
    assert has_intact_checkpoint(run) and RunFolder.open(run).state.last_step == 4


def test_a_closed_terminal_saves_and_exits_with_the_code_of_sighup(tmp_path: Path) -> None:
    import pty

    run, command = tmp_path / "run", train(tmp_path, "--run-dir", str(tmp_path / "run"))
    child, terminal = pty.fork()
    if child == 0:
        os.execv(command[0], command)
    try:
        deadline = time.monotonic() + SECONDS
        while not is_run(run) or RunFolder.open(run).state.last_step < 20:
            if select.select([terminal], [], [], 0.05)[0]:
                os.read(terminal, 65_536)  # otherwise the process would block
            assert time.monotonic() < deadline
    finally:
        os.close(terminal)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == 128 + signal.SIGHUP and has_intact_checkpoint(run)
    assert RunFolder.open(run).state.state == "stopped"


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    command = train(tmp_path, "--run-dir", str(tmp_path / "run"), "training.max_steps=60")
    quoted = " ".join(f"'{word}'" for word in command)
    shell = f"{{ {quoted} 2>&1; echo $? > '{tmp_path}/code'; }} | head -n 1"
    subprocess.run(["bash", "-c", shell], stdout=subprocess.DEVNULL, timeout=SECONDS, check=True)
    assert (tmp_path / "code").read_text() == "0\n"
    assert RunFolder.open(tmp_path / "run").state.reason == "max_steps"


def test_events_to_a_closed_pipe_are_no_error(tmp_path: Path) -> None:
    theirs, ours = os.pipe()
    os.close(theirs)
    command = train(tmp_path, "--run-dir", str(tmp_path / "run"), "--json", "training.max_steps=60")
    result = run_headlight(*command[len(MAIN) :], cwd=tmp_path, stdout=ours)
    assert result.returncode == 0 and "Traceback" not in result.stderr, result.stderr
    assert RunFolder.open(tmp_path / "run").state.reason == "max_steps"
