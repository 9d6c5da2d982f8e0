"""Publishing, checking and evicting the cache's folders of prepared data."""

import errno
import mmap
import os
import shutil
import subprocess
import sys
import time
import weakref
from pathlib import Path
from subprocess import PIPE

import pytest

from core.at_path import is_dir
from core.data import cache
from core.data.cache import (
    ABANDONED_SECONDS,
    GRACE_SECONDS,
    MAX_FOLDERS,
    building_folder,
    is_intact,
    mark_used_and_evict,
    publish,
)
from core.errors import UserError
from tests.reliability.privileges import unprivileged

ROOT = Path(__file__).parents[3]


def published(cache: Path, name: str) -> Path:
    with building_folder(cache) as building:
        (building / "ids").write_bytes(b"12345")
        publish(building, cache / name)
    return cache / name


def test_a_folder_appears_with_all_its_files(tmp_path: Path) -> None:
    folder = published(tmp_path, "one")
    assert is_intact(folder)
    assert list(tmp_path.iterdir()) == [folder]


def test_an_unpublished_folder_is_removed(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), building_folder(tmp_path) as building:
        (building / "ids").write_bytes(b"12345")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_mapped_files_are_closed_before_they_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows cannot remove a mapped file, and the traceback of a failure still refers to the mapping."""
    maps, are_closed, remove = list[weakref.ref[mmap.mmap]](), list[bool](), shutil.rmtree

    def map_and_fail(file: Path) -> None:
        with file.open("rb") as opened:
            mapped = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        maps.append(weakref.ref(mapped))
        raise ZeroDivisionError

    def look_and_remove(folder: Path, *, ignore_errors: bool) -> None:
        are_closed.extend(one() is None for one in maps)
        remove(folder, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", look_and_remove)
    with pytest.raises(ZeroDivisionError), building_folder(tmp_path) as building:
        (building / "ids").write_bytes(b"12345")
        map_and_fail(building / "ids")
    assert are_closed == [True]


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (errno.ENOSPC, "written to .*: No space left on device. Free some space there"),
        (
            errno.EFBIG,
            "written to .*: File too large. Name a disk that takes larger files by XDG_CACHE_HOME, or start ",
        ),
        (errno.ENODEV, "read from .*: its file system maps no file into memory. XDG_CACHE_HOME names another place"),
        (errno.ENOMEM, "There is not enough memory for this. Close other programs"),
    ],
)
def test_a_refusal_by_the_disk_or_file_system_is_reported(tmp_path: Path, number: int, expected: str) -> None:
    with pytest.raises(UserError, match=expected), building_folder(tmp_path):
        raise OSError(number, os.strerror(number))


def test_the_faster_of_two_processes_wins(tmp_path: Path) -> None:
    with building_folder(tmp_path) as slower:
        (slower / "ids").write_bytes(b"12345")
        folder = published(tmp_path, "one")
        file_of_the_faster = (folder / "ids").stat().st_ino
        publish(slower, folder)
    assert (folder / "ids").stat().st_ino == file_of_the_faster
    assert list(tmp_path.iterdir()) == [folder]


def test_an_incomplete_folder_is_replaced(tmp_path: Path) -> None:
    folder = published(tmp_path, "one")
    (folder / "ids").write_bytes(b"123")
    assert not is_intact(folder)
    assert is_intact(published(tmp_path, "one"))


def test_the_most_recently_used_folders_are_kept(tmp_path: Path) -> None:
    folders = [published(tmp_path, f"number {number}") for number in range(MAX_FOLDERS + 2)]
    for age, folder in enumerate(reversed(folders)):
        os.utime(folder, (time.time() - 100 * age,) * 2)
    mark_used_and_evict(tmp_path, used=folders[0])
    assert {folder for folder in folders if folder.exists()} == {folders[0], *folders[3:]}


def test_a_folder_that_cannot_be_marked_as_used_is_still_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), path)

    folder = published(tmp_path, "one")
    monkeypatch.setattr(os, "utime", refuse)
    mark_used_and_evict(tmp_path, used=folder)
    assert is_intact(folder)


def test_the_folder_in_use_is_kept_if_the_clock_was_set_back(tmp_path: Path) -> None:
    folders = [published(tmp_path, f"number {number}") for number in range(MAX_FOLDERS + 2)]
    for folder in folders:
        os.utime(folder, (time.time() + 86_400,) * 2)
    mark_used_and_evict(tmp_path, used=folders[0])
    assert folders[0].exists() and sum(folder.exists() for folder in folders) == MAX_FOLDERS + 1


def test_only_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    abandoned, building, unrelated = tmp_path / ".building-left", tmp_path / ".building-now", tmp_path / "foreign"
    for folder in (abandoned, building, unrelated):
        folder.mkdir()
    long_ago = time.time() - ABANDONED_SECONDS - 60
    os.utime(abandoned, (long_ago, long_ago))
    os.utime(unrelated, (0, 0))
    (tmp_path / "note.txt").write_text("of somebody else")
    folder = published(tmp_path, "one")
    mark_used_and_evict(tmp_path, used=folder)
    assert set(tmp_path.iterdir()) == {building, unrelated, folder, tmp_path / "note.txt"}


BUILD_FOLDER = """
import sys
from pathlib import Path
from core.data.cache import building_folder

with building_folder(Path(sys.argv[1])) as building:
    print(building, flush=True)
    sys.stdin.read()
"""


def printed_folder(builder: subprocess.Popen[str]) -> Path:
    """The folder in which this process builds."""
    assert builder.stdout is not None
    return Path(builder.stdout.readline().strip())


@pytest.mark.parametrize(
    ("age", "has_locks"), [(2 * GRACE_SECONDS, True), (2 * ABANDONED_SECONDS, True), (2 * ABANDONED_SECONDS, False)]
)
def test_folders_of_killed_processes_are_removed_and_those_of_live_ones_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age: int, has_locks: bool
) -> None:
    if not has_locks:
        monkeypatch.setitem(sys.modules, "fcntl", None)
    builders = [
        subprocess.Popen(
            [sys.executable, "-c", BUILD_FOLDER, str(tmp_path)], cwd=ROOT, text=True, stdin=PIPE, stdout=PIPE
        )
        for _ in range(2)
    ]
    with builders[0] as killed, builders[1] as living:
        abandoned, building = map(printed_folder, builders)
        killed.kill()
        killed.wait()
        folder = published(tmp_path, "one")
        mark_used_and_evict(tmp_path, used=folder)
        assert abandoned.exists(), "a folder this new may not be locked yet"
        for path in (abandoned, building):
            os.utime(path, (time.time() - age,) * 2)
        with building_folder(tmp_path) as own_folder:
            os.utime(own_folder, (time.time() - age,) * 2)
            mark_used_and_evict(tmp_path, used=folder)
            assert set(tmp_path.iterdir()) == {folder, building, own_folder}
        living.communicate()
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.skipif(sys.platform != "linux", reason="there, root's privileges cannot be dropped for a moment")
def test_a_folder_of_another_user_keeps_only_the_same_data_from_being_published(tmp_path: Path) -> None:
    """As root leaves it in a user's cache: mkdtemp makes it, so that nobody else may look into it."""
    of_root = published(tmp_path, "one")
    of_root.chmod(0)
    with unprivileged():
        mark_used_and_evict(tmp_path, published(tmp_path, "two"))
        with pytest.raises(UserError, match=rf"^{of_root} holds these prepared data, and can be neither read nor repl"):
            published(tmp_path, "one")
    of_root.chmod(0o700)
    assert {path.name for path in tmp_path.iterdir()} == {"one", "two"} and is_intact(of_root)


def test_a_folder_that_another_process_removes_meanwhile_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used, building = tmp_path / "used", tmp_path / ".building-theirs"
    for folder in (used, building):
        folder.mkdir()

    def is_dir_and_gone(path: Path) -> bool:
        was_there = is_dir(path)
        if path == building and was_there:
            path.rmdir()  # as if the other process had published it
        return was_there

    monkeypatch.setattr(cache, "is_dir", is_dir_and_gone)
    mark_used_and_evict(tmp_path, used=used)
    assert list(tmp_path.iterdir()) == [used]
