"""Prepared data are kept where that can be, and somewhere else where it cannot."""

from pathlib import Path

from core.data.cache_place import CachePlace
from core.events import Event, Trouble


def test_the_wanted_folder_is_made(tmp_path: Path) -> None:
    told: list[Event] = []
    place = CachePlace(tmp_path / "deep" / "cache", told.append)
    assert place.folder() == tmp_path / "deep" / "cache" and place.folder().is_dir()
    place.close()
    assert place.folder().is_dir() and not told


def test_where_it_cannot_be_made_a_temporary_one_is_told_of_once_and_removed(tmp_path: Path) -> None:
    told: list[Event] = []
    (tmp_path / "file").touch()
    place = CachePlace(tmp_path / "file" / "cache", told.append)
    folder = place.folder()
    assert folder.is_dir() and place.folder() == folder
    (trouble,) = told
    assert isinstance(trouble, Trouble) and str(tmp_path / "file" / "cache") in trouble.sentence
    assert str(folder) in trouble.advice
    (folder / "prepared").touch()
    place.close()
    assert not folder.exists()
