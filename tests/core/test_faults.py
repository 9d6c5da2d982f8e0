"""Errors in words."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from core.errors import UserError
from core.events import Trouble
from core.faults import as_run_not_writable, as_trouble


def test_a_users_error_keeps_its_words() -> None:
    assert as_trouble(UserError("The sentence.", "The advice.")) == Trouble(
        sentence="The sentence.", advice="The advice."
    )


def test_a_fault_carries_its_traceback_to_copy() -> None:
    try:
        raise KeyError("lost")
    except KeyError as error:
        trouble = as_trouble(error)
    assert "KeyError" in trouble.sentence
    assert "test_faults.py" in trouble.details


def test_a_full_disk_is_named_with_its_place(tmp_path: Path) -> None:
    error = as_run_not_writable(OSError(28, "No space left on device"), tmp_path)
    assert error.sentence == f"The run cannot be written to {tmp_path}: No space left on device."
    assert error.advice == "Free some space there, then continue learning; nothing is lost."


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.EFBIG, errno.ENOENT])
def test_no_space_is_to_be_freed_where_it_is_not_missing(tmp_path: Path, number: int) -> None:
    error = as_run_not_writable(OSError(number, os.strerror(number)), tmp_path)
    assert os.strerror(number) in error.sentence
    assert error.advice == "Fix that, then continue learning; nothing is lost."


def test_a_folder_that_is_gone_is_not_called_full(tmp_path: Path) -> None:
    error = as_run_not_writable(OSError(2, "No such file or directory"), tmp_path / "a")
    assert error.sentence == f"The run's folder {tmp_path / 'a'} is gone."
    assert "Put it back" in error.advice


def test_a_folder_on_a_drive_that_answers_nothing_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path, **how: object) -> None:
        raise OSError(errno.EIO, "Input/output error", path)

    with monkeypatch.context() as failing:
        failing.setattr(os, "stat", fail)
        error = as_run_not_writable(OSError(errno.EIO, "Input/output error"), tmp_path)
    assert error.sentence == f"The run's folder {tmp_path} is gone."
