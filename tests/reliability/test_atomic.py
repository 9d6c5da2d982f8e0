"""Promise 1: whatever instant a save or a training is killed at, the newest published checkpoint is whole."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from core.run_folder import RunFolder
from tests.reliability.cases import Cases
from tests.reliability.small_runs import digest, everything, resume, train

ROOT = Path(__file__).parents[2]
SYSTEM_CALLS = ("write", "fsync", "rename", "mkdir", "unlink", "unlinkat", "rmdir", "ftruncate", "openat")
ALWAYS = {"write", "fsync", "rename"}
STRACE = shutil.which("strace")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four steps, with checkpoints at 0, 2 and 4."""
    return train(tmp_path_factory.mktemp("killed") / "run", 4)


def save_under_strace(run: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Save once more in a process of its own, with what strace is to do to the calls that touch the run."""
    paths = [option for path in touched(run) for option in ("-P", str(path))]
    command = [STRACE or "strace", "-f", "-qq", *paths, *options]
    saving = [sys.executable, "-m", "tests.reliability.one_save", str(run)]
    return subprocess.run([*command, *saving], cwd=ROOT, capture_output=True, text=True, timeout=60)


def touched(run: Path) -> list[Path]:
    """Every name that a save makes, replaces or takes away."""
    saved = [run / "checkpoints" / name for name in ("000006", "000006.tmp", "000006.old", "000000", "000002")]
    inside = ("model.safetensors", "optimizer.safetensors", "state.json")
    written = [
        *(folder / name for folder in saved for name in inside),
        *(run / name for name in ("run.json", "metrics.jsonl", "probes/000006.safetensors")),
        *(run / name for name in ("snapshots/000006.safetensors", "validations/000006.jsonl")),
    ]
    folders = [run, *(run / name for name in ("checkpoints", "probes", "snapshots", "validations"))]
    return [*folders, *saved, *written, *(path.with_name(path.name + ".tmp") for path in written)]


def count_calls(run: Path) -> Counter[str]:
    """Save once, and count."""
    trace = save_under_strace(run, "-e", f"trace={','.join(SYSTEM_CALLS)}")
    assert trace.returncode == 0, trace.stderr
    names = re.findall(r"^(?:\[pid +\d+\] )?(\w+)\(", trace.stderr, flags=re.MULTILINE)
    return Counter(name for name in names if name in SYSTEM_CALLS)


@pytest.fixture(scope="module")
def counts(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Counter[str]:
    """How many system calls of each kind touch the run while it is saved."""
    return count_calls(shutil.copytree(run, tmp_path_factory.mktemp("counted") / "run"))


@pytest.mark.skipif(STRACE is None, reason="strace kills at a given system call, and is not installed")
@pytest.mark.parametrize("name", SYSTEM_CALLS)
def test_a_save_killed_at_any_system_call_leaves_a_whole_run(
    name: str, run: Path, counts: Counter[str], tmp_path: Path, cases: Cases, full: bool
) -> None:
    assert counts[name] or name not in ALWAYS
    numbers = range(1, counts[name] + 1)
    for number in numbers if full else random.Random(1).sample(numbers, min(1, len(numbers))):
        with cases.trying(f"{name} {number}"):
            killed = shutil.copytree(run, tmp_path / f"{name}{number}")
            done = save_under_strace(killed, "-e", f"inject={name}:signal=KILL:when={number}")
            assert done.returncode not in (0, 1), done.stderr  # it was killed, by whatever strace says of that
            assert_whole(killed)
            resume(killed, 2)


def assert_whole(run: Path) -> None:
    """All that is published can be read, and the last checkpoint that run.json names is among it."""
    everything(run)
    folder = RunFolder.open(run)
    assert folder.state.last_step in folder.checkpoint_steps()


def killed_in_training(run: Path, seconds: float) -> None:
    """Go on with a run in a terminal's process, and kill that so many seconds after it has saved once."""
    command = [sys.executable, str(ROOT / "main.py"), "train", "--resume", str(run), "--json"]
    command += ["--set", "training.max_steps=1000000", "--set", "training.keep_checkpoints=1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        for line in process.stdout:
            if json.loads(line)["event"] == "checkpoint_saved":
                break
        else:
            pytest.fail(process.stderr.read())
        time.sleep(seconds)
        process.kill()
        process.communicate()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The full list of kills in pieces."""
    if "kills" in metafunc.fixturenames:
        is_full = metafunc.config.getoption("--full")
        metafunc.parametrize(
            "kills", [range(at, at + 10) for at in range(0, 50, 10)] if is_full else [range(3)], ids=str
        )


def test_a_training_killed_at_random_moments_goes_on_as_if_it_had_not_been(
    kills: range, run: Path, tmp_path: Path, cases: Cases
) -> None:
    killed, rng = shutil.copytree(run, tmp_path / "killed"), random.Random(kills.start)
    for number in kills:
        with cases.trying(f"kill {number}"):
            killed_in_training(killed, rng.uniform(0.0, 0.3))
            assert_whole(killed)
    resume(killed, 2)
    folder = RunFolder.open(killed)
    last = folder.checkpoint(folder.checkpoint_step("last"))
    plain = RunFolder.open(train(tmp_path / "plain", last.step, keep_checkpoints=1)).checkpoint(last.step)
    assert digest([plain.model, plain.optimizer]) == digest([last.model, last.optimizer])
    assert folder.metrics()[0].tolist() == list(range(1, last.step + 1))
