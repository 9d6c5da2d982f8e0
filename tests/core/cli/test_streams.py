"""Output to a closed pipe is discarded, as is progress on a full disk; results that cannot be written are reported."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import TextIO

import pytest

from core.cli.streams import ResultPrinter, discard_output, optional_output, required_stdout, use_utf8
from core.errors import UserError
from tests.in_process import run_headlight


def test_output_to_a_pipe_without_a_reader_is_discarded() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        for _ in range(3):
            with optional_output(stream):
                print("x" * 100_000, file=stream)


@pytest.fixture
def full_disk() -> Iterator[TextIO]:
    if not Path("/dev/full").exists():
        pytest.skip("only Linux has /dev/full")
    stream = Path("/dev/full").open("w")  # noqa: SIM115 (closing it fails as writing does)
    yield stream
    discard_output(stream)
    stream.close()


def test_output_to_a_full_disk_is_discarded(full_disk: TextIO) -> None:
    for _ in range(3):
        with optional_output(full_disk):
            print("x" * 100_000, file=full_disk)


@pytest.mark.parametrize("length", [1, 100_000])
def test_results_that_do_not_fit_on_the_disk_are_reported_once(
    full_disk: TextIO, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    monkeypatch.setattr("sys.stdout", full_disk)
    with pytest.raises(UserError, match="Standard output cannot be written: No space left"), required_stdout():
        print("x" * length)
    print("y")
    full_disk.flush()


def test_unwritable_results_do_not_stop_the_work_and_are_reported_at_its_end(
    full_disk: TextIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout", full_disk)
    results = ResultPrinter()
    for _ in range(2):
        with results.printing():
            print("x")
    with pytest.raises(UserError, match=r"Standard output cannot be written: No space left.* All is saved\."):
        results.require_written("All is saved.")


def test_results_of_long_work_to_a_closed_pipe_are_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    results = ResultPrinter()
    with os.fdopen(writing, "w") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        with results.printing():
            print("x")
    results.require_written("All is saved.")


class BrokenPipeOfWindows(StringIO):
    def write(self, _: str, /) -> int:
        raise OSError(errno.EINVAL, "Invalid argument")


def test_windows_reports_a_closed_pipe_as_an_invalid_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.cli.streams.PIPE_CLOSED_ERRNO", errno.EINVAL)
    monkeypatch.setattr("sys.stdout", BrokenPipeOfWindows())
    with pytest.raises(BrokenPipeError), required_stdout():  # ends the command without an error
        print("x")


def test_an_error_of_another_file_is_not_reported_as_an_output_error() -> None:
    with pytest.raises(FileNotFoundError), required_stdout():
        Path("nowhere").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX pipes")
def test_another_broken_pipe_does_not_end_the_command_silently(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_to_a_process_that_has_ended(arguments: object) -> int:
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb", buffering=0) as pipe:
            return pipe.write(b"x")

    monkeypatch.setattr("core.cli.presets.list_presets", write_to_a_process_that_has_ended)
    monkeypatch.setattr("platformdirs.PlatformDirs.user_log_path", tmp_path)
    result = run_headlight("presets", "list", cwd=tmp_path)
    assert result.returncode == 1 and "a fault of ours (BrokenPipeError" in result.stderr


def test_undecodable_bytes_are_printed(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w", encoding="ascii") as stream:
        use_utf8(stream)
        print("ü", os.fsdecode(b"\xff"), file=stream)
    assert (tmp_path / "out").read_text(encoding="utf-8") == "ü \\udcff\n"
