"""Prepared data are kept in the cache folder, or in a temporary one if it cannot be created."""

import errno
import os
from pathlib import Path

import pytest

from core.data.cache_folder import CacheFolder
from core.events import Event, Trouble


def test_the_requested_folder_is_created(tmp_path: Path) -> None:
    events: list[Event] = []
    cache_folder = CacheFolder(tmp_path / "deep" / "cache", events.append)
    assert cache_folder.path() == tmp_path / "deep" / "cache" and cache_folder.path().is_dir()
    cache_folder.close()
    assert cache_folder.path().is_dir() and not events


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
def test_the_reason_why_a_folder_is_not_writable_is_the_systems(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr("core.data.cache_folder.TemporaryFile", fail)
    events: list[Event] = []
    cache_folder = CacheFolder(tmp_path, events.append)
    cache_folder.path()
    cache_folder.close()
    (trouble,) = events
    assert isinstance(trouble, Trouble) and trouble.sentence.endswith(f"in {tmp_path}: {os.strerror(number)}.")


def test_a_temporary_folder_is_used_reported_once_and_removed(tmp_path: Path) -> None:
    events: list[Event] = []
    (tmp_path / "file").touch()
    cache_folder = CacheFolder(tmp_path / "file" / "cache", events.append)
    folder = cache_folder.path()
    assert folder.is_dir() and cache_folder.path() == folder
    (trouble,) = events
    assert isinstance(trouble, Trouble) and str(tmp_path / "file" / "cache") in trouble.sentence
    assert str(folder) in trouble.advice
    (folder / "prepared").touch()
    cache_folder.close()
    assert not folder.exists()
