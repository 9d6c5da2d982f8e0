"""Promise 4: a full, read-only, removed or forbidden disk pauses a run or ends it with code 3; nothing is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Thread

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from core.run_folder import RunFolder, is_run, list_runs
from gui.frame.resume_banner import interrupted_run
from gui.main_window import MainWindow
from gui.runs.rows import RunRowReader
from gui.workbench import Workbench
from tests.gui.conftest import WAIT_MS
from tests.in_process import run_headlight
from tests.reliability.cases import Cases
from tests.reliability.privileges import (
    NOBODY,
    UNPRIVILEGED,
    needs_mount,
    needs_setpriv,
    needs_unprivileged_mount,
    unprivileged,
)
from tests.reliability.training_process import (
    MAIN,
    ROOT,
    SECONDS,
    has_intact_checkpoint,
    running,
    train,
    wait_for_checkpoint,
    wait_for_exit,
)

pytestmark = pytest.mark.usefixtures("engines_share_a_host")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MB."""
    path = tmp_path / "a disk"
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=777", "tmpfs", path], check=True)
    yield path
    subprocess.run(["umount", "--lazy", path], check=True)


def fill(disk: Path, name: str = "filler") -> None:
    """Fill the disk, including the last block of this file."""
    with (disk / name).open("ab", buffering=0) as file:
        for size in (65_536, 4_096, 1):
            try:
                while file.write(b"x" * size) == size:
                    pass
            except OSError:
                pass


def make_read_only(disk: Path) -> None:
    """Remount read-only; retry, since the system refuses while a file is open for writing."""
    while subprocess.run(["mount", "-o", "remount,ro", disk], stderr=subprocess.DEVNULL).returncode:
        pass


def make_unwritable(disk: Path) -> None:
    """Remove all write permissions of the run."""
    for folder, _, _ in os.walk(disk / "run"):
        Path(folder).chmod(0o555)
    (disk / "run" / "metrics.jsonl").chmod(0o444)


def move_away(disk: Path) -> None:
    """Rename the run's folder."""
    (disk / "run").rename(disk / "elsewhere")


def restore_disk(disk: Path) -> None:
    """Remount writable and free the space."""
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    (disk / "filler").unlink(missing_ok=True)


def restore_run(place: Path) -> None:
    """Undo `make_unwritable` and `move_away`."""
    if (place / "elsewhere").exists():
        (place / "elsewhere").rename(place / "run")
    for folder, _, _ in os.walk(place / "run"):
        Path(folder).chmod(0o755)
    (place / "run" / "metrics.jsonl").chmod(0o644)


FAILURES: dict[str, Callable[[Path], None]] = {
    "full": fill,
    "removed": move_away,
    "read-only": make_read_only,
    "not permitted": make_unwritable,
}


def assert_resumes(run: Path, folder: Path) -> None:
    """Require that the run resumes from its last checkpoint, with no step missing or repeated."""
    end = RunFolder.open(run).state.last_step + 30
    result = run_headlight("train", "--resume", run, "--set", f"training.max_steps={end}", cwd=folder)
    assert result.returncode == 0, result.stderr
    assert has_intact_checkpoint(run) and RunFolder.open(run).metrics()[0].tolist() == list(range(1, end + 1))


def train_until_failure(command: list[str], run: Path, fail: Callable[[], object]) -> tuple[int, str]:
    """Train in this process, call `fail` in another thread after step 40; return exit code and standard error."""

    def wait_and_fail() -> None:
        while not is_run(run) or RunFolder.open(run).state.last_step < 40:
            time.sleep(0.01)
        fail()

    Thread(target=wait_and_fail, daemon=True).start()
    result = run_headlight(*command[len(MAIN) :], cwd=ROOT)
    return result.returncode, result.stderr


@needs_unprivileged_mount
def test_a_disk_fault_ends_the_command_with_3_and_names_the_checkpoint(
    disk: Path, tmp_path: Path, cases: Cases, full: bool
) -> None:
    for name in FAILURES if full else ("full", "removed"):
        with cases.trying(name):
            place = disk / name.replace(" ", "_")
            place.mkdir()
            fail = partial(FAILURES[name], disk if name in ("full", "read-only") else place)
            command = train(tmp_path, "--run-dir", str(place / "run"))
            if name == "not permitted":
                with running([*UNPRIVILEGED, *command]) as process:
                    wait_for_checkpoint(place / "run", 40, process)
                    fail()
                    code, errors = wait_for_exit(process)
            else:
                code, errors = train_until_failure(command, place / "run", fail)
            assert code == 3 and "Traceback" not in errors, errors
            last = errors.splitlines()[-1]
            assert "(disk)" in last
            if name == "removed":
                assert "there is no such folder" in last
                assert has_intact_checkpoint(place / "elsewhere")
            else:
                assert has_intact_checkpoint(place / "run")
                assert f"saved: {place / 'run' / 'checkpoints'}" in last and "train --resume" in last
            restore_disk(disk)
            restore_run(place)
            assert_resumes(place / "run", tmp_path)
        restore_disk(disk)
        shutil.rmtree(disk / name.replace(" ", "_"))


@needs_mount
def test_space_and_write_permission_are_checked_before_training(
    disk: Path, tmp_path: Path, cases: Cases, full: bool
) -> None:
    def refused(message: str, command: list[str]) -> None:
        with cases.trying(message):
            result = run_headlight(*command[len(MAIN) :], cwd=tmp_path)
            assert (result.returncode, len(result.stderr.splitlines())) == (2, 1), result.stderr
            assert message in result.stderr and str(disk) in result.stderr
            assert not list(disk.iterdir())

    large = ("model.d_model=256", "model.num_heads=4")
    refused("three checkpoints take", train(tmp_path, "--run-dir", str(disk / "run"), *large))
    if full:
        make_read_only(disk)
        refused("Read-only file system", train(tmp_path, "--runs-dir", str(disk / "runs")))


@needs_mount
def test_resuming_on_a_faulty_disk_advises_to_copy_the_run(disk: Path, tmp_path: Path) -> None:
    run, advice = disk / "run", "Fix that, or copy the run to another place and resume it there.\n"
    command = train(tmp_path, "--run-dir", str(run), "training.max_steps=20")
    assert run_headlight(*command[len(MAIN) :], cwd=tmp_path).returncode == 0
    resume = ("train", "--resume", run, "--set", "training.max_steps=30")
    for cause, message in ((fill, "There is no room for this run"), (make_read_only, "Read-only file system")):
        cause(disk)
        result = run_headlight(*resume, cwd=tmp_path)
        assert result.returncode == 2 and message in result.stderr and result.stderr.endswith(advice), result.stderr
        restore_disk(disk)
    assert run_headlight(*resume, cwd=tmp_path).returncode == 0


def in_shell(command: list[str], redirect: str, unbuffered: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in a shell that redirects its output."""
    shell = ["bash", "-c", f'"$@" {redirect}', "bash", *command]
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    return subprocess.run(shell, env=environment, capture_output=True, text=True, timeout=SECONDS)


@needs_mount
def test_a_log_on_the_disk_that_the_run_fills_changes_nothing(disk: Path, tmp_path: Path) -> None:
    command = train(tmp_path, "--run-dir", str(disk / "run"))
    log = ["bash", "-c", 'exec "$@" >>"$0" 2>&1', str(disk / "train.log"), *command]
    with running(log) as process:
        wait_for_checkpoint(disk / "run", 40, process)
        fill(disk)
        fill(disk, "train.log")
        code, _ = wait_for_exit(process)
    assert code == 3 and has_intact_checkpoint(disk / "run")


NO_ROOM = "headlight: Standard output cannot be written: No space left on device."
LOST = f"{NO_ROOM} The training has finished, and is saved.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_lost_progress_is_no_error_but_lost_results_are(tmp_path: Path, cases: Cases, full: bool) -> None:
    """A training always completes; losing its text is no error, losing its JSON is.

    The message of `--json >/dev/full` alone is tested with several seeds, below. Without --full, this process trains;
    test_signals.py has a training process that can write neither of its outputs.
    """
    redirects = {">/dev/full 2>&1": (0, ""), "2>&-": (0, "reason max_steps"), ">/dev/full": (0, "")}
    redirects |= {">&- 2>&-": (0, ""), "--json >/dev/full 2>&1": (2, ""), "--json >&-": (0, "")}
    for number, redirect in enumerate(redirects if full else [*redirects][:1]):
        trained = tmp_path / f"run {number}"
        with cases.trying(f"train {redirect}"):
            command = train(tmp_path, "--run-dir", str(trained), "training.max_steps=60")
            if full:
                result = in_shell(command, redirect)
            else:
                both = {stream: os.open("/dev/full", os.O_WRONLY) for stream in ("stdout", "stderr")}
                result = run_headlight(*command[len(MAIN) :], cwd=tmp_path, **both)
            code, written = redirects[redirect]
            assert result.returncode == code and written in result.stdout, result
            assert LOST not in result.stderr
            assert RunFolder.open(trained).state.reason == "max_steps" and has_intact_checkpoint(trained)
    run, listing = str(tmp_path / "run 0"), ["runs", "list", "--runs-dir", str(tmp_path)]
    longer = [["evaluate", run], ["translate", run, "1 2"], ["runs", "show", run, "--json"], ["presets", "list"]]
    longer += [["train", "--help"]]
    for command in [listing, ["--version"], *(longer if full else [])]:
        with cases.trying(f"{command} >/dev/full"):
            result = in_shell([*MAIN, *command], ">/dev/full")
            assert result.returncode == 2
            assert result.stderr == f"{NO_ROOM}\n"
    assert in_shell([*MAIN, *listing], ">/dev/full", unbuffered="1").stderr == result.stderr
    assert in_shell([*MAIN, "--version"], ">/dev/full 2>&-").returncode == 2
    assert "headlight" in in_shell([*MAIN, "--version"], "2>&-").stdout
    closed = in_shell([*MAIN, "--version"], ">&-")
    assert (closed.returncode, closed.stderr) == (0, "")
    assert in_shell([*MAIN, "--help"], "| true; exit ${PIPESTATUS[0]}").returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_file_is_translated_when_progress_and_warnings_cannot_be_written(tmp_path: Path) -> None:
    texts, outputs = tmp_path / "texts.txt", tmp_path / "outputs.txt"
    texts.write_text("1 2\nunknown\n", encoding="utf-8")
    run = ROOT / "tests" / "golden" / "0.1.0_copy_task"
    full_device = os.open("/dev/full", os.O_WRONLY)
    words = ("translate", run, "--input", texts, "--output", outputs)
    result = run_headlight(*words, cwd=tmp_path, stderr=full_device)
    assert result.returncode == 0 and len(outputs.read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_all_seeds_are_trained_before_lost_output_is_reported(tmp_path: Path) -> None:
    options = ("--runs-dir", str(tmp_path / "runs"), "--seeds", "0,1", "--json")
    command = train(tmp_path, *options, "training.max_steps=20")
    result = run_headlight(*command[len(MAIN) :], cwd=tmp_path, stdout=os.open("/dev/full", os.O_WRONLY))
    assert result.returncode == 2 and result.stderr.endswith(LOST)
    runs = [RunFolder.open(run) for run in list_runs(tmp_path / "runs")]
    assert [(run.config().seed, run.state.reason) for run in runs] == [(0, "max_steps"), (1, "max_steps")]
    assert all(has_intact_checkpoint(run.path) for run in runs)


@needs_setpriv
def test_an_unreadable_folder_hides_no_run(tmp_path: Path) -> None:
    """Such as the lost+found of a drive, or a colleague's private folder."""
    run = shutil.copytree(ROOT / "tests" / "golden" / "0.1.0_copy_task", tmp_path / "run")
    RunFolder.open(run).update(state="stopped")
    private = [tmp_path / "lost+found", tmp_path / "a colleague's"]
    for folder in private:
        folder.mkdir(mode=0o700)
        os.chown(folder, NOBODY, NOBODY)

    calls: list[list[object]] = [
        ["runs", "list", "--runs-dir", tmp_path],
        ["runs", "show", private[0]],
        ["export", run, "--format", "safetensors", "--output", private[0] / "out"],
        *(["runs", *verb, "--runs-dir", private[0]] for verb in (["list"], ["show", "run"])),
        *(["runs", *verb, "--runs-dir", private[0] / "in"] for verb in (["list"], ["compare", "run", "run2"])),
    ]
    with unprivileged():
        listed, shown, exported, *refusals = [run_headlight(*call, cwd=ROOT) for call in calls]
        interrupted, (*rows, _) = interrupted_run(tmp_path), RunRowReader(tmp_path).read()  # the last is the example
    assert (listed.returncode, listed.stderr) == (0, "")
    lines = listed.stdout.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["a colleague's", run.name]  # no run can be in lost+found
    assert f"{private[1]}: it cannot be read (Permission denied)." in lines[0]
    assert shown.returncode == 2 and f"{private[0]}: it cannot be read (Permission denied)." in shown.stderr
    for result in refusals[:2]:
        assert result.returncode == 2 and "it cannot be read (Permission denied)" in result.stderr
        assert result.stderr.endswith("Make it readable, or choose another folder (--runs-dir in a terminal).\n")
    for result in refusals[2:]:
        (line,) = result.stderr.splitlines()
        assert result.returncode == 2 and f"{private[0] / 'in'}" in line and "Permission denied" in line
    assert exported.returncode == 2
    assert exported.stderr.startswith(f"headlight: {private[0] / 'out'}: Permission denied. Name another place")
    assert interrupted is not None and interrupted.path == run
    states = {row.path: row.problem or row.state for row in rows}
    assert states.keys() == {run, *private} and states[run] == "stopped"
    for folder in private:
        assert states[folder].startswith(f"{folder}: it cannot be read (Permission denied).")


def run_kept_in(folder: Path, workbench: Workbench, qtbot: QtBot) -> RunFolder:
    """Wait until the window's run lies in this folder; return it."""
    qtbot.waitUntil(lambda: workbench.run in list_runs(folder), timeout=WAIT_MS)
    assert workbench.run is not None
    return RunFolder.open(workbench.run)


@needs_mount
def test_the_window_pauses_the_run_when_its_disk_is_full_or_read_only(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None], monkeypatch: pytest.MonkeyPatch,
    disk: Path, tmp_path: Path, cases: Cases, full: bool
) -> None:  # fmt: skip
    """The run continues once the disk is usable again, or in another folder."""
    workbench, strip, history = window.context.workbench, window.trouble_strip, window.context.bridge.history

    def take_steps(count: int) -> None:
        end = history.last_step + count
        workbench.learn(count)
        qtbot.waitUntil(lambda: history.last_step >= end, timeout=WAIT_MS)
        wait_for_state("paused")

    for name in ("full", "read-only") if full else ("full",):
        with cases.trying(name):
            window.context.runs_directory.choose(disk / name)
            workbench.reset()
            wait_for_state("ready")
            workbench.edit("training.max_steps", 100_000)
            workbench.edit("training.checkpoint_every", 20)
            workbench.learn()
            qtbot.waitUntil(lambda: bool(history.checkpoint_steps) and history.last_step > 40, timeout=WAIT_MS)
            run = workbench.run
            FAILURES[name](disk)
            qtbot.waitUntil(strip.isVisible, timeout=WAIT_MS)
            wait_for_state("paused")
            assert run is not None and str(run) in strip.sentence.text() and has_intact_checkpoint(run)
            restore_disk(disk)
            take_steps(30)
            assert RunFolder.open(run).metrics()[0].tolist() == list(range(1, history.last_step + 1))
            FAILURES[name](disk)
            new = tmp_path / f"instead of {name}"
            monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_, new=new: str(new))
            strip.dismiss()
            workbench.learn()
            qtbot.waitUntil(strip.isVisible, timeout=WAIT_MS)
            wait_for_state("paused")
            qtbot.mouseClick(strip.offer_button, Qt.MouseButton.LeftButton)
            moved = run_kept_in(new, workbench, qtbot)
            take_steps(30)
            assert moved.metrics()[0].tolist() == list(range(1, history.last_step + 1))
            restore_disk(disk)


def test_the_window_continues_a_run_in_another_folder(
    qtbot: QtBot, window: MainWindow, wait_for_state: Callable[[str], None], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path, cases: Cases, full: bool
) -> None:  # fmt: skip
    """If a file is where the checkpoints belong, or if the run's folder is gone."""

    def block(run: Path) -> None:
        shutil.rmtree(run / "checkpoints")
        (run / "checkpoints").touch()

    workbench, strip = window.context.workbench, window.trouble_strip
    failures: list[Callable[[Path], None]] = [block, shutil.rmtree]
    for number, fail in enumerate(failures if full else failures[:1]):
        with cases.trying(fail.__name__):
            workbench.reset()
            wait_for_state("ready")
            workbench.edit("training.checkpoint_every", 5)
            workbench.learn(12)
            wait_for_state("paused")
            old, new = workbench.run, tmp_path / f"other folder {number}"
            assert old is not None
            fail(old)
            workbench.learn()
            qtbot.waitUntil(strip.isVisible, timeout=WAIT_MS)
            wait_for_state("paused")  # two events, not necessarily delivered together
            assert str(old) in strip.sentence.text()
            monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_, new=new: str(new))
            assert strip.offer_button.text() == "Choose another folder …"
            qtbot.mouseClick(strip.offer_button, Qt.MouseButton.LeftButton)
            moved = run_kept_in(new, workbench, qtbot)
            assert not strip.isVisible() and window.context.runs_directory.path == new
            assert moved.checkpoint(moved.state.last_step).step == window.context.bridge.history.last_step
            workbench.learn()
            wait_for_state("finished")
            steps = moved.metrics()[0].tolist()
            assert steps == list(range(1 if fail is block else 13, 41)), steps
            assert moved.reread_state().reason == "max_steps"
