"""The commit of the code that is recorded with a run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from core.run_files import environment


def git(folder: Path, *arguments: str) -> str:
    named = ("-c", "user.name=a", "-c", "user.email=a@b")
    return subprocess.run(["git", *named, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("is_installed", [True, False])
def test_an_installed_copy_does_not_take_the_commit_of_a_surrounding_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_installed: bool
) -> None:
    folder = tmp_path / "installed"
    folder.mkdir()
    (folder / "environment.py").touch()
    (tmp_path / ".gitignore").write_text("installed" if is_installed else "")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "theirs")
    monkeypatch.setattr(environment, "__file__", str(folder / "environment.py"))
    commit = git(tmp_path, "rev-parse", "--short=12", "HEAD").strip()
    assert environment.code_revision.__wrapped__() == (None if is_installed else commit)
