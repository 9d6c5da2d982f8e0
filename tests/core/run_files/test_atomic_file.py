"""Writing a file into a user's folder leaves all other files there unchanged."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.cli.text_files import output_file
from core.errors import UserError
from core.run_files.archive import write_archive
from core.run_files.atomic import atomic_file
from gui.widgets.save_dialog import save_file
from tests.reliability.privileges import unprivileged


def _a_result(path: Path) -> None:
    with output_file(path) as file:
        print("text", file=file)


def _a_shared_run(path: Path) -> None:
    write_archive(path, [("run.json", b"{}")])


def _a_picture(path: Path) -> None:
    save_file(path, b"drawn")


@pytest.mark.parametrize("write", [_a_result, _a_shared_run, _a_picture])
def test_a_users_file_with_a_temporary_name_is_not_overwritten(write: Callable[[Path], None], tmp_path: Path) -> None:
    own, link = tmp_path / "file.tmp", tmp_path / "other.tmp"
    own.write_text("mine", encoding="utf-8")
    link.symlink_to(own)
    for name in ("file", "other"):
        write(tmp_path / name)
    assert own.read_text(encoding="utf-8") == "mine" and link.is_symlink()
    assert {path.name for path in tmp_path.iterdir()} == {"file", "other", "file.tmp", "other.tmp"}


def test_the_last_of_two_concurrent_writers_wins_with_its_complete_content(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with atomic_file(path) as later:
        later.write(b"lat")
        later.flush()
        with atomic_file(path) as earlier:
            earlier.write(b"earlier")
        assert path.read_bytes() == b"earlier"
        later.write(b"er")
    assert path.read_bytes() == b"later" and list(tmp_path.iterdir()) == [path]


def test_an_interrupted_writer_does_not_affect_another(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with atomic_file(path) as file:
        with pytest.raises(KeyboardInterrupt), atomic_file(path):
            raise KeyboardInterrupt
        file.write(b"whole")
    assert path.read_bytes() == b"whole" and list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")
@pytest.mark.parametrize("umask", [0o022, 0o027])
def test_permissions_follow_the_umask(umask: int, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        _a_result(tmp_path / "file")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o666 & ~umask


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")
def test_a_private_file_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch(mode=0o600)
    with atomic_file(path) as file:
        (temporary,) = set(tmp_path.iterdir()) - {path}
        assert temporary.stat().st_mode & 0o777 == 0o600
        file.write(b"new")
    assert (path.stat().st_mode & 0o777, path.read_bytes()) == (0o600, b"new")


@pytest.mark.skipif(sys.platform != "linux", reason="there, root's privileges cannot be dropped for a moment")
def test_a_write_protected_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "reference.txt"
    path.write_text("kept")
    path.chmod(0o444)
    with unprivileged():
        with pytest.raises(PermissionError), atomic_file(path):
            pass
        with pytest.raises(UserError, match="cannot be written"):
            save_file(path, b"replaced")
    assert path.read_text() == "kept" and list(tmp_path.iterdir()) == [path]
