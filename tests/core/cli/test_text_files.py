"""Result files are written completely or not at all; text files are read line by line."""

from __future__ import annotations

import errno
import gzip
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cli.text_files import output_file, read_lines
from core.errors import UserError
from core.machine.signals import STOP_SIGNALS, Interrupted, handling_signals
from tests.in_process import run_headlight


def test_an_interrupted_result_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("yesterday's", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt), output_file(path) as file:
        print("half", file=file)
        raise KeyboardInterrupt
    assert path.read_text(encoding="utf-8") == "yesterday's" and list(tmp_path.iterdir()) == [path]
    with output_file(path) as file:
        print("whole", file=file)
        assert path.read_text(encoding="utf-8") == "yesterday's"
    assert path.read_bytes() == b"whole\n" and list(tmp_path.iterdir()) == [path]


def test_links_and_devices_are_written_through(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "there")
    for path in (link, Path("/dev/null")):
        with output_file(path) as file:
            print("text", file=file)
    assert link.is_symlink() and (tmp_path / "there").read_text(encoding="utf-8") == "text\n"
    assert not Path("/dev/null").is_file()


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="Windows has no /dev/fd")
def test_an_open_stream_is_written_to_and_its_file_stays(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n", encoding="utf-8")
    with log.open("a", encoding="utf-8") as appended:
        with output_file(Path(f"/dev/fd/{appended.fileno()}")) as file:
            print("result", file=file)
        print("after", file=appended)
    assert log.read_text(encoding="utf-8") == "before\nresult\nafter\n"


@pytest.fixture
def restored_handlers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if no signal had come, once the test is over."""
    monkeypatch.setattr("core.machine.signals._ending_signals", [])
    before = [signal.getsignal(one) for one in STOP_SIGNALS]
    yield
    for one, handler in zip(STOP_SIGNALS, before, strict=True):
        signal.signal(one, handler)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a named pipe, and a signal to a thread")
@pytest.mark.usefixtures("restored_handlers")
def test_a_signal_ends_the_wait_for_a_reader_of_the_pipe(tmp_path: Path) -> None:
    pipe, main_thread = tmp_path / "pipe", threading.main_thread().ident
    assert main_thread is not None
    os.mkfifo(pipe)
    timers = [
        threading.Timer(0.1, signal.pthread_kill, (main_thread, signal.SIGTERM)),
        threading.Timer(5.0, pipe.read_bytes),  # so that a failure ends, too
    ]
    for timer in timers:
        timer.start()
    with pytest.raises(Interrupted, match="SIGTERM"), handling_signals(lambda _: None), output_file(pipe):
        pass
    for timer in timers:
        timer.cancel()


def test_an_unwritable_path_is_reported_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no/where: cannot be written \(No such file or directory\)"):  # noqa: SIM117
        with output_file(tmp_path / "no" / "where"):
            pass


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
@pytest.mark.parametrize("length", [1, 100_000])  # the error occurs on closing, and on writing
def test_a_full_disk_is_reported_in_a_sentence(length: int) -> None:
    with pytest.raises(UserError, match=r"^/dev/full: cannot be written \(No space left on device\)"):  # noqa: SIM117
        with output_file(Path("/dev/full")) as file:
            print("x" * length, file=file)


def test_an_error_of_the_engine_is_not_reported_as_a_file_error(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr("core.cli.engine_client.Engine", refuse)
    result = run_headlight("evaluate", workspace / "run", "--predictions", "out.tsv", cwd=tmp_path)
    assert result.returncode == 2 and result.stderr.startswith("headlight: The system lets Headlight start no other")
    assert not any(tmp_path.iterdir())


def test_a_circular_link_is_refused(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    result = run_headlight("translate", workspace / "run", "--output", "loop/out.txt", "a", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("headlight: loop/out.txt: cannot be written (")
    result = run_headlight(
        "export", workspace / "run", "--format", "safetensors", "--output", "loop/model", cwd=tmp_path
    )
    assert result.returncode == 2 and result.stderr.startswith("headlight: loop/model cannot be written: ")


@pytest.mark.parametrize("name", ["run.json", "probes/new.tsv"])
@pytest.mark.parametrize("verb", [("evaluate", "--predictions"), ("translate", "a b", "--output")])
def test_no_result_is_written_into_a_run(workspace: Path, verb: tuple[str, ...], name: str) -> None:
    path, documents = workspace / "run" / name, (workspace / "run" / "run.json").read_bytes()
    result = run_headlight(verb[0], workspace / "run", *verb[1:], path, cwd=workspace)
    assert (result.returncode, result.stdout) == (2, "")
    why = f"{path} lies in the folder of a run, {workspace / 'run'}. Choose a place outside of it."
    assert result.stderr == f"headlight: {why}\n"
    assert (workspace / "run" / "run.json").read_bytes() == documents and not path.with_name("new.tsv").exists()


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_bytes("\ufeffone\u2028two\r\nthree\x85".encode())
    assert read_lines(path) == ["one\u2028two", "three\x85"]
    path.write_bytes(b"one\ntwo\n\xff")
    with pytest.raises(UserError, match=r"in\.txt, line 3, byte 1 \(0xff\) is not UTF-8"):
        read_lines(path)


def test_unreadable_texts_are_reported_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none: cannot be read \(No such file or directory\)\. Name a file of"):
        read_lines(tmp_path / "none")


def test_compressed_texts_are_read_and_damage_is_reported(tmp_path: Path) -> None:
    path, packed = tmp_path / "in.txt", gzip.compress(b"one\n" * 9000)
    path.write_bytes(packed)
    assert read_lines(path) == ["one"] * 9000
    path.write_bytes(packed[:-12])
    with pytest.raises(UserError, match=r"in\.txt is cut off or damaged"):
        read_lines(path)


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "in.txt").touch()
    assert read_lines(tmp_path / "in.txt") == []
