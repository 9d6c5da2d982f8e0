"""Promise 5: a truncated or altered file is detected, named and not used; the checkpoint before it is opened."""

from __future__ import annotations

import random
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from core.engine import Engine
from core.errors import UserError
from core.events import Trouble
from core.history import History
from core.requests import OpenRun
from core.run_files import metrics_lines
from core.run_files.documents import DamagedFile
from core.run_folder import RunFolder, RunLabel
from tests.core.watcher import Watcher, answered, begun
from tests.reliability.cases import Cases
from tests.reliability.privileges import unprivileged
from tests.reliability.small_runs import WITH_SUBWORDS, digest, read_everything, resume, train
from tests.reliability.training_process import ROOT, SECONDS

STRACE = "strace"
READ_RUNS = """
import sys
from pathlib import Path
from core.errors import UserError
from tests.reliability.small_runs import read_everything
for run in sys.argv[1:]:
    try:
        read_everything(Path(run))
    except UserError as error:
        print(error)
"""
LOG_FILE = "log.txt"  # no code reads it

pytestmark = pytest.mark.usefixtures("engines_share_a_host")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of four steps with checkpoints, validations, probes and snapshots."""
    path = train(tmp_path_factory.mktemp("damage") / "run", 4, WITH_SUBWORDS)
    RunFolder.open(path).write_label(RunLabel(name="mine", note="A note."))
    return path


def files(run: Path, *, full: bool) -> list[Path]:
    """Every file of a run that the program reads; without `full`, the newest of those that differ only in the step."""
    paths = sorted(path for path in run.rglob("*") if path.is_file() and path.name != LOG_FILE)
    newest = {re.sub(r"\d{6}", "", str(path.relative_to(run))): path for path in paths}
    return paths if full else list(newest.values())


@contextmanager
def changed_to(path: Path, data: bytes) -> Iterator[None]:
    """Replace a file's content for the duration of the block."""
    content = path.read_bytes()
    path.write_bytes(data)
    try:
        yield
    finally:
        path.write_bytes(content)


def assert_damage_found(run: Path, path: Path, intact: str) -> None:
    """Require a refusal that begins with the file's name and gives advice, or that everything is read as before."""
    try:
        read = digest(read_everything(run))
    except UserError as error:
        assert error.sentence.startswith(str(path)) and error.advice, error
    else:
        assert read == intact


def cut_positions(data: bytes) -> set[int]:
    """Where to truncate a file: at its ends, within and after its header, between lines, at powers of two."""
    newlines = [cut + 1 for cut, byte in enumerate(data) if byte == ord("\n")]
    header = 8 + int.from_bytes(data[:8], "little")  # if it is a file of arrays
    cuts = {0, 1, 7, 8, header // 2, header, header + 1, len(data) // 2, len(data) - 1, *newlines[:2], *newlines[-3:]}
    return {cut for cut in cuts | {2**power for power in range(24)} if cut < len(data)}


def start_of_last_line(data: bytes) -> int:
    """Where the last line begins, which an interrupted write may leave incomplete."""
    return data.rfind(b"\n", 0, -1) + 1


def test_a_file_truncated_anywhere_is_named(run: Path, cases: Cases, full: bool) -> None:
    intact = digest(read_everything(run))
    for path in files(run, full=full):
        data = path.read_bytes()
        cuts = sorted(cut_positions(data) if full else set(sorted(cut_positions(data))[::3]) | {len(data) - 1})
        for cut in cuts:
            if path.name == "metrics.jsonl" and cut >= start_of_last_line(data):
                continue  # only the last line is incomplete
            with cases.trying(f"{path.relative_to(run)} cut at {cut} of {len(data)}"), changed_to(path, data[:cut]):
                assert_damage_found(run, path, intact)


def test_a_flipped_bit_is_detected_or_changes_nothing(run: Path, cases: Cases, full: bool) -> None:
    intact, rng = digest(read_everything(run)), random.Random(5)
    for path in files(run, full=full):
        data = path.read_bytes()
        for bit in rng.sample(range(8 * len(data)), 200 if full else 8):
            changed = bytearray(data)
            changed[bit // 8] ^= 1 << bit % 8
            with cases.trying(f"{path.relative_to(run)} with bit {bit} flipped"), changed_to(path, bytes(changed)):
                assert_damage_found(run, path, intact)


def test_metrics_with_an_incomplete_last_line_can_be_read_and_resumed(
    run: Path, tmp_path: Path, cases: Cases, full: bool
) -> None:
    data = (run / "metrics.jsonl").read_bytes()
    whole = len(data) - start_of_last_line(data)
    for num_cut in (1, 20, whole) if full else (1, whole):
        with cases.trying(f"{num_cut} bytes cut off"), changed_to(run / "metrics.jsonl", data[:-num_cut]):
            copy = shutil.copytree(run, tmp_path / str(num_cut))
            read_everything(copy)
            resume(copy, 2)
            assert RunFolder.open(copy).metrics()[0].tolist() == [1, 2, 3, 4, 5, 6]


@pytest.fixture(scope="module")
def six_steps(run: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of checkpoint 6 of the undamaged run, resumed for two steps."""
    intact = shutil.copytree(run, tmp_path_factory.mktemp("intact") / "run")
    resume(intact, 2)
    return digest(RunFolder.open(intact).checkpoint(6))


@pytest.mark.parametrize("whole_lines", [0, 1, 20])
def test_damage_after_the_newest_checkpoint_is_named_and_trained_again(
    run: Path, six_steps: str, tmp_path: Path, whole_lines: int
) -> None:
    damaged = shutil.copytree(run, tmp_path / "run")
    RunFolder.open(damaged).update(state="learning", pid=1, host=socket.gethostname(), pid_started="another boot")
    lines = metrics_lines.step_lines(5, {"train/loss": np.ones(40), "time": np.ones(40)}).splitlines(keepends=True)
    written = [*lines[:whole_lines], bytes(4096), *lines[-10:]]  # file systems leave a block of zeros
    with (damaged / "metrics.jsonl").open("ab") as file:
        file.write(b"".join(written))
    assert RunFolder.open(damaged).metrics()[0].tolist() == list(range(1, 5 + whole_lines))
    read_everything(damaged)
    (trouble,) = troubles_on_resuming(damaged)
    assert trouble.sentence == f"{damaged / 'metrics.jsonl'}: the file is damaged after the newest checkpoint."
    assert RunFolder.open(damaged).metrics()[0].tolist() == [1, 2, 3, 4, 5, 6]
    assert digest(RunFolder.open(damaged).checkpoint(6)) == six_steps


def test_a_run_without_its_curves_can_be_resumed(run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(run, tmp_path / "bare")
    (copy / "metrics.jsonl").unlink()  # as the message for damaged curves advises
    read_everything(copy)
    resume(copy, 2)
    read_everything(copy)
    assert RunFolder.open(copy).metrics()[0].tolist() == [5, 6]


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_truncated_curves_are_named_before_a_run_is_resumed(run: Path, tmp_path: Path, share: float) -> None:
    truncated = shutil.copytree(run, tmp_path / "cut")
    curves = truncated / "metrics.jsonl"
    kept = b"".join(curves.read_bytes().splitlines(keepends=True)[: int(share * 4)])
    curves.write_bytes(kept)
    with pytest.raises(DamagedFile, match=rf"metrics.jsonl: the file is cut off \({len(kept):,} of .* bytes are left"):
        resume(truncated, 2)
    assert curves.read_bytes() == kept and RunFolder.open(truncated).state.last_step == 4


@pytest.mark.parametrize("name", ["model.safetensors", "optimizer.safetensors", "state.json"])
def test_the_checkpoint_before_a_damaged_one_is_opened_and_named(run: Path, tmp_path: Path, name: str) -> None:
    damaged = shutil.copytree(run, tmp_path / "run")
    path = damaged / "checkpoints" / "000004" / name
    path.write_bytes(path.read_bytes()[:-1])
    (trouble,) = troubles_on_resuming(damaged)
    assert trouble.sentence.startswith(f"{path}: the file is damaged")
    assert "Opened at the checkpoint before it, of step 2" in trouble.advice
    assert [digest(part) for part in results_of_step_4(damaged)] == [digest(part) for part in results_of_step_4(run)]


@pytest.mark.skipif(sys.platform != "linux", reason="needs the capabilities of Linux")
def test_an_unreadable_file_is_named(run: Path, tmp_path: Path, cases: Cases) -> None:
    """Opened while another run is loaded. If it belongs to the newest checkpoint, the one before is opened."""
    newest = [f"checkpoints/000004/{name}" for name in ("model.safetensors", "optimizer.safetensors", "state.json")]
    watcher = Watcher()
    with unprivileged(), Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        for name in [*newest, "run.json", "config.yaml", "vocabulary.json", "src.model", "metrics.jsonl"]:
            copy = shutil.copytree(run, tmp_path / name.replace("/", " "))
            (copy / name).chmod(0)
            begun(engine, tmp_path / "own")
            watcher.events.clear()
            with cases.trying(name):
                refusals = refusals_on_opening(copy, engine)
                reports = [f"{trouble.sentence} {trouble.advice}" for trouble in watcher.all(Trouble)]
                (sentence,) = reports + refusals
                assert sentence.startswith(f"{copy / name}: it cannot be read (Permission denied). "), sentence
                assert bool(refusals) == (name not in newest)
                assert refusals or "Opened at the checkpoint before it, of step 2" in sentence


def refusals_on_opening(run: Path, engine: Engine) -> list[str]:
    """Open a run and read its history, as the window does; return the error, if it is refused."""
    try:
        answered(engine, OpenRun(run=run))
        History.read(RunFolder.open(run))
    except UserError as error:
        return [str(error)]
    return []


@pytest.mark.skipif(shutil.which(STRACE) is None, reason="needs strace, which makes reading fail")
def test_a_bad_sector_is_named(run: Path, tmp_path: Path, cases: Cases) -> None:
    names = ("checkpoints/000004/model.safetensors", "checkpoints/000004/state.json", "metrics.jsonl")
    copies = [shutil.copytree(run, tmp_path / str(number)) for number in range(len(names))]
    paths = [copy / name for copy, name in zip(copies, names, strict=True)]
    only_these = [word for path in paths for word in ("-P", str(path))]
    only_reads = [STRACE, "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", *only_these, "-e", "trace=read"]
    injected = [*only_reads, "-e", "inject=read:error=EIO"]
    command = [*injected, sys.executable, "-c", READ_RUNS, *map(str, copies)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    for path, line in zip(paths, result.stdout.splitlines(), strict=True):
        with cases.trying(path.name):
            assert line.startswith(f"{path}: it cannot be read (Input/output error)."), line


def troubles_on_resuming(run: Path) -> list[Trouble]:
    """Resume a run for two steps; return the Trouble events."""
    watcher: Watcher = resume(run, 2)
    return watcher.all(Trouble)


def results_of_step_4(run: Path) -> list[object]:
    """What step 4 left: weights, optimizer state, probe and validated sentences."""
    folder = RunFolder.open(run)
    checkpoint = folder.checkpoint(4)
    return [checkpoint.model, checkpoint.optimizer, folder.probe(4), folder.validated_sentences(4)]


def test_the_newest_checkpoint_is_named_when_all_are_damaged(run: Path, tmp_path: Path) -> None:
    damaged = shutil.copytree(run, tmp_path / "run")
    for path in damaged.glob("checkpoints/*/model.safetensors"):
        path.write_bytes(b"")
    with pytest.raises(UserError, match=r"000004/model\.safetensors: the file is damaged"):
        resume(damaged, 2)
    assert len(RunFolder.open(damaged).checkpoint_steps()) == 3
