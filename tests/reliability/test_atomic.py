"""Promise 1: a run killed at any instant of beginning, saving or resuming has a complete newest checkpoint."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from core.run_folder import RunFolder, is_run
from tests.in_process import run_headlight
from tests.reliability.cases import Cases
from tests.reliability.privileges import needs_strace
from tests.reliability.small_runs import digest, read_everything, resume, train
from tests.reliability.training_process import MAIN, ROOT
from tests.reliability.training_process import train as command_to_train

SYSTEM_CALLS = ("write", "fsync", "rename", "mkdir", "unlink", "unlinkat", "rmdir", "ftruncate", "openat")
ALWAYS = {"write", "fsync", "rename", "mkdir", "unlinkat", "rmdir", "openat"}
VISIBLE = ("mkdir", "rename", "unlink", "unlinkat", "rmdir")  # calls that change what another process sees of a run
SAVING = ("-m", "tests.reliability.save_script")
RESUMING = ("-m", "tests.reliability.resume_script")
CREATE_RUN = """
import sys
from pathlib import Path
from core.run_folder import RunFolder
RunFolder.create_at(Path(sys.argv[1]))
"""

pytestmark = pytest.mark.usefixtures("engines_share_a_host")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four steps with checkpoints at 0, 2 and 4."""
    return train(tmp_path_factory.mktemp("killed") / "run", 4)


@pytest.fixture(scope="module")
def interrupted_run(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That run as crashes may leave it: checkpoint 6 is damaged, checkpoint 4 still has its .old name."""
    path = shutil.copytree(run, tmp_path_factory.mktemp("broken off") / "run")
    subprocess.run([sys.executable, *SAVING, str(path)], cwd=ROOT, check=True)
    for name in ("run.json.tmp", "metrics.jsonl.tmp", "probes/000006.safetensors.tmp"):
        (path / name).write_bytes(b"half a")
    (path / "checkpoints" / "000004").rename(path / "checkpoints" / "000004.old")
    (path / "checkpoints" / "000006" / "model.safetensors").write_bytes(b"half a")
    return path


def run_under_strace(run: Path, python: Sequence[str], *options: str) -> subprocess.CompletedProcess[str]:
    """Run this Python command under strace, which applies its options to the calls that touch the run."""
    paths = [option for path in touched_paths(run) for option in ("-P", str(path))]
    command = ["strace", "-f", "--seccomp-bpf", "-qq", *paths, *options, sys.executable, *python]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200)


def touched_paths(run: Path) -> list[Path]:
    """Every path that is created, replaced or removed when a run begins, saves, or resumes at step 4."""
    steps = ("000000", "000001", "000002", "000004", "000005", "000006")
    saved = [run / "checkpoints" / f"{step}{ending}" for step in steps for ending in ("", ".tmp", ".old")]
    inside = ("model.safetensors", "optimizer.safetensors", "state.json")
    documents = ("run.json", "config.yaml", "vocabulary.json", "environment.json", "metrics.jsonl", "log.txt")
    kept = ("probes/{}.safetensors", "snapshots/{}.safetensors", "validations/{}.jsonl")
    written = [
        *(folder / name for folder in saved for name in inside),
        *(run / name for name in documents),
        *(run / name.format(step) for name in kept for step in steps),
    ]
    folders = [run, *(run / name for name in ("checkpoints", "probes", "snapshots", "validations"))]
    return [*folders, *saved, *written, *(path.with_name(path.name + ".tmp") for path in written)]


def count_calls(run: Path, python: Sequence[str], kinds: Sequence[str] = SYSTEM_CALLS) -> Counter[str]:
    """Run the command once and count its system calls."""
    trace = run_under_strace(run, python, "-e", f"trace={','.join(kinds)}")
    assert trace.returncode == 0, trace.stderr
    names = re.findall(r"^(?:\[pid +\d+\] )?(\w+)\(", trace.stderr, flags=re.MULTILINE)
    return Counter(name for name in names if name in kinds)


def kill_at(name: str, number: int, run: Path, python: Sequence[str]) -> None:
    """Kill the command at its n-th call of this name."""
    result = run_under_strace(run, python, "-e", f"inject={name}:signal=KILL:when={number}")
    assert result.returncode not in (0, 1), result.stderr  # killed; strace's own exit code varies


def numbers_to_try(count: int, *, full: bool) -> Iterable[int]:
    """Which calls to kill at: all of them, or one."""
    numbers = range(1, count + 1)
    return numbers if full else random.Random(1).sample(numbers, min(1, count))


@pytest.fixture(scope="module")
def counts(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Counter[str]:
    """How many system calls of each kind touch the run during a save."""
    copy = shutil.copytree(run, tmp_path_factory.mktemp("counted") / "run")
    return count_calls(copy, [*SAVING, str(copy)])


@needs_strace
@pytest.mark.parametrize("name", SYSTEM_CALLS)
def test_a_save_killed_at_any_system_call_leaves_a_readable_run(
    name: str, run: Path, counts: Counter[str], tmp_path: Path, cases: Cases, full: bool
) -> None:
    if name not in ALWAYS and not counts[name]:
        pytest.skip("a save makes no such call")
    assert counts[name]
    for number in numbers_to_try(counts[name], full=full):
        with cases.trying(f"{name} {number}"):
            killed = shutil.copytree(run, tmp_path / f"{name}{number}")
            kill_at(name, number, killed, [*SAVING, str(killed)])
            assert_all_readable(killed)
            resume(killed, 2)


@pytest.fixture(scope="module")
def six_steps(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of what an uninterrupted run of six steps learns."""
    return weights_digest(train(tmp_path_factory.mktemp("plain") / "run", 6), 6)


@pytest.fixture(scope="module")
def counts_of_a_resume(interrupted_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Counter[str]:
    """How many system calls of each kind touch the run while it is resumed."""
    copy = shutil.copytree(interrupted_run, tmp_path_factory.mktemp("counted") / "run")
    return count_calls(copy, [*RESUMING, str(copy)])


@needs_strace
@pytest.mark.parametrize("names", [VISIBLE, ("write", "fsync"), ("ftruncate", "openat")], ids=str)
def test_a_resume_killed_at_any_system_call_can_be_resumed(
    names: tuple[str, ...],
    interrupted_run: Path,
    six_steps: str,
    counts_of_a_resume: Counter[str],
    tmp_path: Path,
    cases: Cases,
    full: bool,
) -> None:
    assert {"rename", "unlink", "unlinkat", "rmdir", "write", "fsync", "openat"} <= counts_of_a_resume.keys()
    for name in names if full else names[:2]:
        for number in numbers_to_try(counts_of_a_resume[name], full=full):
            with cases.trying(f"{name} {number}"):
                killed = shutil.copytree(interrupted_run, tmp_path / f"{name}{number}")
                kill_at(name, number, killed, [*RESUMING, str(killed)])
                assert_resumes_from_4(killed, six_steps)


def assert_resumes_from_4(killed: Path, six_steps: str) -> None:
    """Require that all of checkpoint 4 is there, and that resuming it learns what an uninterrupted run learns."""
    folder = RunFolder.open(killed)
    assert folder.is_checkpoint_intact(4) and folder.probe(4).step == 4
    assert folder.validation_metrics()[4] and folder.validated_sentences(4)
    resume(killed, 2)
    assert_all_readable(killed)
    assert weights_digest(killed, 6) == six_steps
    assert RunFolder.open(killed).metrics()[0].tolist() == list(range(1, 7))
    assert not [path for ending in (".tmp", ".old") for path in killed.rglob(f"*{ending}")]


def weights_digest(run: Path, step: int) -> str:
    """A hash of weights and optimizer state."""
    checkpoint = RunFolder.open(run).checkpoint(step)
    return digest([checkpoint.model, checkpoint.optimizer])


@needs_strace
def test_a_terminal_killed_before_its_first_step_can_be_resumed(
    interrupted_run: Path, six_steps: str, tmp_path: Path, cases: Cases, full: bool
) -> None:
    """The run is already at its last step, so the command takes no step."""

    def resuming(run: Path) -> list[str]:
        return [MAIN[1], "train", "--resume", str(run)]

    counts = Counter({"rename": 3})  # the last one shortens metrics.jsonl
    if full:
        copy = shutil.copytree(interrupted_run, tmp_path / "counted")
        counts = count_calls(copy, resuming(copy), ("rename", "unlink"))
    for name, count in counts.items():
        for number in numbers_to_try(count, full=full):
            with cases.trying(f"{name} {number}"):
                killed = shutil.copytree(interrupted_run, tmp_path / f"{name}{number}")
                kill_at(name, number, killed, resuming(killed))
                assert_resumes_from_4(killed, six_steps)


@needs_strace
def test_a_run_killed_while_it_begins_can_be_resumed_or_is_not_listed(tmp_path: Path, cases: Cases, full: bool) -> None:
    """Without --full, only the folders are created, by the function that a terminal calls."""

    def beginning(run: Path) -> list[str]:
        if not full:
            return ["-c", CREATE_RUN, str(run)]
        return command_to_train(tmp_path, "--run-dir", str(run), "training.max_steps=1")[1:]

    counts = Counter({"mkdir": 5})  # the run's folder and its subfolders
    if full:
        counts = count_calls(tmp_path / "counted", beginning(tmp_path / "counted"), ("mkdir", "rename"))
    for name, count in counts.items():
        for number in numbers_to_try(count, full=full):
            with cases.trying(f"{name} {number}"):
                killed = tmp_path / f"{name}{number}"
                kill_at(name, number, killed, beginning(killed))
                assert_resumes_or_says_why_not(killed)


def assert_resumes_or_says_why_not(killed: Path) -> None:
    """Require that the run resumes if it has a checkpoint, and is otherwise refused in one line."""
    has_checkpoint = is_run(killed) and bool(RunFolder.open(killed).checkpoint_steps())
    listing = run_headlight("runs", "list", "--runs-dir", killed.parent, cwd=killed.parent)
    assert listing.returncode == 0 and "damaged" not in listing.stdout, listing.stdout
    assert (killed.name in listing.stdout) == is_run(killed)
    result = run_headlight("train", "--resume", killed, "--set", "training.max_steps=3", cwd=killed.parent)
    if has_checkpoint:
        assert result.returncode == 0, result.stderr
        assert_all_readable(killed)
        assert RunFolder.open(killed).metrics()[0].tolist() == [1, 2, 3]
    else:
        assert (result.returncode, len(result.stderr.splitlines())) == (2, 1), result.stderr
        assert str(killed) in result.stderr


def assert_all_readable(run: Path) -> None:
    """Require that everything published can be read, including the last checkpoint that run.json names."""
    read_everything(run)
    folder = RunFolder.open(run)
    assert folder.state.last_step in folder.checkpoint_steps()


def test_run_json_from_before_a_crash_is_brought_up_to_date(tmp_path: Path) -> None:
    """Its best step as well: otherwise that checkpoint would count as an ordinary one and be removed."""
    never_better = {"training.optimizer.learning_rate": 1e-30, "training.best_metric": "valid/exact_match"}
    run = train(tmp_path / "run", 4, never_better)
    folder = RunFolder.open(run)
    known = folder.state
    assert (known.last_step, known.best_step) == (4, 2)
    folder.update(last_step=0, best_step=None, best_value=None)
    assert RunFolder.open(run).state.last_step == 4
    resume(run, 1)
    state = RunFolder.open(run).state
    assert (state.last_step, state.best_step, state.best_value) == (5, 2, known.best_value)


def killed_in_training(run: Path, seconds: float) -> None:
    """Resume a run in a terminal process, and kill it this many seconds after its first checkpoint."""
    command = [*MAIN, "train", "--resume", str(run), "--json"]
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
    """Split the full list of kills into pieces."""
    if "kills" in metafunc.fixturenames:
        is_full = metafunc.config.getoption("--full")
        metafunc.parametrize(
            "kills", [range(at, at + 10) for at in range(0, 50, 10)] if is_full else [range(1)], ids=str
        )


def test_a_training_killed_at_random_moments_learns_the_same_when_resumed(
    kills: range, run: Path, tmp_path: Path, cases: Cases
) -> None:
    killed, rng = shutil.copytree(run, tmp_path / "killed"), random.Random(kills.start)
    for number in kills:
        with cases.trying(f"kill {number}"):
            killed_in_training(killed, rng.uniform(0.0, 0.3))
            assert_all_readable(killed)
    resume(killed, 2)
    folder = RunFolder.open(killed)
    last = folder.checkpoint_step("last")
    assert weights_digest(killed, last) == weights_digest(train(tmp_path / "plain", last, keep_checkpoints=1), last)
    assert folder.metrics()[0].tolist() == list(range(1, last + 1))
