"""Errors as sentences for the user."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from core.errors import RunNotWritable, UserError
from core.events import Trouble
from core.faults import as_run_not_writable, as_trouble
from core.run_files.write_errors import reporting_write_errors


def test_a_user_error_keeps_its_sentence_and_advice() -> None:
    assert as_trouble(UserError("The sentence.", "The advice.")) == Trouble(
        sentence="The sentence.", advice="The advice."
    )


def test_an_unexpected_error_carries_its_traceback() -> None:
    try:
        raise KeyError("lost")
    except KeyError as error:
        trouble = as_trouble(error)
    assert "KeyError" in trouble.sentence
    assert "test_faults.py" in trouble.details


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run's folder, with the file that every run has."""
    (tmp_path / "config.yaml").touch()
    return tmp_path


def test_a_full_disk_is_reported_with_its_path(run: Path) -> None:
    error = as_run_not_writable(OSError(28, "No space left on device"), run)
    assert error.sentence == f"The run cannot be written to {run}: No space left on device."
    assert error.advice == "Free some space there, then continue learning; nothing is lost until Headlight ends."


@pytest.mark.parametrize(
    ("failed", "named"),
    [
        ("config.yaml", "config.yaml"),
        ("probes/000021.safetensors.tmp", "probes"),
        ("run.json.tmp", ""),
        ("/elsewhere", ""),
    ],
)
def test_what_cannot_be_written_of_a_run_is_named(run: Path, failed: str, named: str) -> None:
    """Of a file that could not be made, the folder is: its own name may be a temporary one."""
    (run / "probes").mkdir()
    where, why = run / named, "Permission denied"
    error = OSError(errno.EACCES, why, str(run / failed))
    assert as_run_not_writable(error, run).sentence == f"The run cannot be written to {where}: {why}."
    with pytest.raises(RunNotWritable) as exc_info, reporting_write_errors(run):
        raise error
    assert exc_info.value.sentence == f"{where} cannot be written: {why}."


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOENT])
def test_only_a_full_disk_advises_freeing_space(run: Path, number: int) -> None:
    error = as_run_not_writable(OSError(number, os.strerror(number)), run)
    assert os.strerror(number) in error.sentence
    assert error.advice == "Fix that, then continue learning; nothing is lost until Headlight ends."


def test_a_limit_to_the_size_of_files_is_not_reported_as_a_full_disk(run: Path) -> None:
    error = as_run_not_writable(OSError(errno.EFBIG, "File too large"), run)
    assert error.sentence == f"The run cannot be written to {run}: File too large."
    assert error.advice == "Keep it on a disk that takes larger files, or continue it where `ulimit -f` allows them."


def test_a_missing_folder_is_reported_as_gone(tmp_path: Path) -> None:
    error = as_run_not_writable(OSError(2, "No such file or directory"), tmp_path / "a")
    assert error.sentence == f"The run's folder {tmp_path / 'a'} is gone."
    assert "Put it back" in error.advice


def test_a_folder_with_nothing_but_what_was_written_while_it_was_deleted_is_reported_as_gone(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").touch()
    error = as_run_not_writable(OSError(errno.ENOENT, "No such file or directory"), tmp_path)
    assert error.sentence == f"The run's folder {tmp_path} is gone."


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (errno.EIO, "The run's folder {} is gone."),
        (errno.EACCES, "The run cannot be written to {}: Permission denied."),
    ],
)
def test_a_folder_on_an_unresponsive_drive_is_reported_as_gone_but_not_one_that_may_not_be_looked_into(
    run: Path, monkeypatch: pytest.MonkeyPatch, number: int, expected: str
) -> None:
    def fail(path: Path, **options: object) -> None:
        raise OSError(number, os.strerror(number), path)

    with monkeypatch.context() as failing:
        failing.setattr(os, "stat", fail)
        error = as_run_not_writable(OSError(number, os.strerror(number)), run)
    assert error.sentence == expected.format(run)
