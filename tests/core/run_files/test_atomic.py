"""A file can be replaced while another process reads the old one."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.run_files import atomic


def test_a_file_that_is_being_read_is_replaced_by_a_later_attempt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows refuses both while a process has the file open."""
    refusals = iter([PermissionError, PermissionError])
    replace = Path.replace

    def replaced(path: Path, target: Path) -> Path:
        for refusal in refusals:
            raise refusal
        return replace(path, target)

    monkeypatch.setattr(atomic, "_RETRY_SECONDS", 10.0)
    monkeypatch.setattr(Path, "replace", replaced)
    atomic.write_atomically(tmp_path / "run.json", b"new")
    assert (tmp_path / "run.json").read_bytes() == b"new"
    refusals = iter([PermissionError] * 2)
    monkeypatch.setattr(atomic, "_RETRY_SECONDS", 0.0)
    with pytest.raises(PermissionError):
        atomic.write_atomically(tmp_path / "run.json", b"newer")
    assert (tmp_path / "run.json").read_bytes() == b"new" and len(list(tmp_path.iterdir())) == 1
