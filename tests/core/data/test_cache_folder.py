"""Prepared data are kept in the cache folder, or in a temporary one if it cannot be created."""

from pathlib import Path

from core.data.cache_folder import CacheFolder
from core.events import Event, Trouble


def test_the_requested_folder_is_created(tmp_path: Path) -> None:
    events: list[Event] = []
    cache_folder = CacheFolder(tmp_path / "deep" / "cache", events.append)
    assert cache_folder.path() == tmp_path / "deep" / "cache" and cache_folder.path().is_dir()
    cache_folder.close()
    assert cache_folder.path().is_dir() and not events


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
