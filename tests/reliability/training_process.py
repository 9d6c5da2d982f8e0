"""A small training in a separate process, in a terminal or with a window, for tests to interfere with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.run_folder import RunFolder, is_run

ROOT = Path(__file__).parents[2]
MAIN = [sys.executable, str(ROOT / "main.py")]
SECONDS = 200.0
TINY = """
name: tiny
dataset:
  plugin: copy_task
  options: {num_symbols: 4, min_length: 2, max_length: 3}
model: {d_model: 16, num_heads: 2, num_encoder_layers: 1, num_decoder_layers: 1, d_ff: 16}
training:
  batch_size: 4
  max_steps: 100000
  validate_every: 100000
  checkpoint_every: 20
  probe_every: 1000
  num_threads: 1
"""
ASCII = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
NO_HOME = {"HOME": "/proc/nowhere"}  # it cannot be written
FOLDER_NAMES = {
    "spaces, quotes, scripts, bytes that are no text": os.fsencode('ein "Ördner" o\'n 日本 עברית 🙂 \udcff'),
    "255 characters": b"x" * 255,
    "a line feed and a tab": b"a\nb\tc",
}

SLOW_STEPS = """
import time
from core.machine.torch_import import stub_out_tracing
stub_out_tracing()
from core.training.trainer import Trainer
take_step = Trainer._take_step
def take_step_slowly(trainer):
    time.sleep({seconds})
    take_step(trainer)
Trainer._take_step = take_step_slowly
"""
WINDOW_SCRIPT = """
import runpy
runpy.run_module("tests.reliability.window_script", run_name="__main__")
"""
"""Code that begins, or ends, a script of a process: it takes its steps slowly, or opens `window`."""


def train(folder: Path, *arguments: str) -> list[str]:
    """The command that trains `tiny.yaml`, written to `folder`; settings are given as `training.max_steps=20`."""
    settings_file = _write_settings(folder)
    options = [one for one in arguments if one.startswith("--") or "=" not in one]
    settings = [word for one in arguments if one not in options for word in ("--set", one)]
    return [*MAIN, "train", str(settings_file), *options, *settings]


def window(folder: Path, *settings: str) -> list[str]:
    """The command that opens a window and trains the same settings; run it in `ROOT`. Runs go to HEADLIGHT_RUNS_DIR."""
    return [sys.executable, "-m", "tests.reliability.window_script", str(_write_settings(folder)), *settings]


def bare_environment(home: Mapping[str, str], runs: Path) -> dict[str, str]:
    """An environment for a window, of little more than this home and this folder of runs, and without a locale."""
    known = {name: value for name, value in os.environ.items() if name in ("PATH", "QT_QPA_PLATFORM")}
    return known | ASCII | dict(home) | {"HEADLIGHT_RUNS_DIR": str(runs)}


def _write_settings(folder: Path) -> Path:
    path = folder / "tiny.yaml"
    path.write_text(TINY, encoding="utf-8")
    return path


@contextmanager
def running(command: list[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Start a process, and kill it at the end if it still runs; `wait_for_exit` collects its output."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", **options
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def run_in_one_process(prefix: Sequence[str], *calls: Sequence[object]) -> list[subprocess.CompletedProcess[str]]:
    """Run these commands one after the other in one process, whose command begins with `prefix`."""
    words = [list(map(str, one)) for one in calls]
    command = [*prefix, sys.executable, "-m", "tests.reliability.command_line_script"]
    given = "".join(f"{json.dumps(one)}\n" for one in words)
    result = subprocess.run(command, cwd=ROOT, input=given, capture_output=True, text=True, timeout=SECONDS)
    assert result.returncode == 0, result.stderr
    printed = result.stdout.splitlines()
    return [subprocess.CompletedProcess(one, *json.loads(line)) for one, line in zip(words, printed, strict=True)]


def wait_for_exit(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for the process to end; return its exit code and standard error."""
    _, errors = process.communicate(timeout=SECONDS)
    return process.returncode, errors


def wait_for_checkpoint(run: Path, step: int, process: subprocess.Popen[str]) -> None:
    """Return once the run has published a checkpoint of this step or a later one."""
    deadline = time.monotonic() + SECONDS
    while not is_run(run) or RunFolder.open(run).state.last_step < step:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline, f"no checkpoint of step {step} in {run}"
        time.sleep(0.01)


def has_intact_checkpoint(run: Path) -> bool:
    """Whether the newest checkpoint can be read; verifies its checksums."""
    folder = RunFolder.open(run)
    return folder.checkpoint(folder.checkpoint_step("last")).step == folder.state.last_step
