"""A full pipe without a reader does not keep a process from ending on a signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select

import pytest

from core.cli.interruptible_output import interruptible_stream
from core.run_folder import RunFolder
from tests.reliability.training_process import MAIN, SECONDS, train

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reopens a pipe through /proc")


@pytest.fixture
def full_pipe() -> Iterator[int]:
    """The write end of a pipe that nobody reads and the process under test fills."""
    read_end, written = os.pipe()
    yield written
    os.close(read_end)
    os.close(written)


@pytest.fixture
def small_full_pipe(full_pipe: int) -> int:
    """A pipe that is full after a tenth of the lines."""
    set_size(full_pipe, 4096)
    return full_pipe


def set_size(pipe: int, num_bytes: int) -> None:
    import fcntl

    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, num_bytes)


@contextmanager
def writing(command: list[str], pipe: int, *, stderr: int) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has filled the pipe and has more to write."""
    with subprocess.Popen(command, stdout=pipe, stdin=subprocess.DEVNULL, stderr=stderr) as process:
        try:
            while select([], [pipe], [], 0)[1]:
                assert process.poll() is None
                time.sleep(0.01)
            fill(pipe)
            yield process
        finally:
            process.kill()


def fill(pipe: int) -> None:
    """Fill the pipe to the last byte: one that is no longer ready still takes some thousand bytes."""
    own = os.open(f"/proc/self/fd/{pipe}", os.O_WRONLY | os.O_NONBLOCK)
    with suppress(BlockingIOError):
        while True:
            os.write(own, b" ")
    os.close(own)


@pytest.mark.parametrize(
    ("number", "output"),
    [(signal.SIGINT, []), (signal.SIGTERM, []), (signal.SIGTERM, ["--output", "/proc/thread-self/fd/1"])],
)
def test_translating_to_a_full_pipe_ends_with_the_first_signal(
    workspace: Path, tmp_path: Path, small_full_pipe: int, number: signal.Signals, output: list[str]
) -> None:
    (tmp_path / "in.txt").write_text("a b\n" * 256, encoding="utf-8")
    command = [*MAIN, "translate", str(workspace / "run"), "--input", str(tmp_path / "in.txt"), "--json", *output]
    with writing(command, small_full_pipe, stderr=subprocess.PIPE) as process:
        process.send_signal(number)
        _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 128 + number
    assert errors.decode().splitlines()[-1] == f"headlight: ended by {number.name}."


def test_training_with_events_to_a_full_pipe_saves_at_the_first_signal(tmp_path: Path, full_pipe: int) -> None:
    run = tmp_path / "run"
    set_size(full_pipe, 16384)  # full before the hundredth step
    command = train(tmp_path, "--run-dir", str(run), "--json", "training.checkpoint_every=100000")
    with writing(command, full_pipe, stderr=full_pipe) as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS) == 128 + signal.SIGTERM
    folder = RunFolder.open(run)
    assert folder.state.state == "stopped" and folder.checkpoint_steps()[-1] == folder.state.last_step > 0


def test_listing_to_a_full_pipe_ends_with_the_first_signal(
    workspace: Path, tmp_path: Path, small_full_pipe: int
) -> None:
    for number in range(60):
        (tmp_path / f"run{number}").symlink_to(workspace / "run")
    command = [*MAIN, "runs", "list", "--json", "--runs-dir", str(tmp_path)]
    with writing(command, small_full_pipe, stderr=small_full_pipe) as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 128 + signal.SIGINT


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # the wrapper keeps it open to the end
def test_output_to_a_closed_stream_does_not_land_in_a_file_opened_later(tmp_path: Path) -> None:
    """The wrapper keeps the original stream open; otherwise the next opened file would get its descriptor."""
    stream = interruptible_stream(open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 (as reopen_closed_streams does)
    with (tmp_path / "run.json").open("w", encoding="utf-8") as file:
        print("an event", file=stream, flush=True)
        file.write("{}")
    assert (tmp_path / "run.json").read_text(encoding="utf-8") == "{}"
