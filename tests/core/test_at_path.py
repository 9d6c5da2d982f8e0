"""What is at a path is told alike by every version of Python, as are paths of which the system cannot tell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.at_path import exists, is_dir, is_file


def _answers(path: Path) -> tuple[bool, bool, bool]:
    return exists(path), is_dir(path), is_file(path)


def test_what_is_there_is_told_through_links(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    for name in ("folder", "file", "nothing"):
        (tmp_path / f"link to {name}").symlink_to(name)
    assert _answers(tmp_path / "folder") == _answers(tmp_path / "link to folder") == (True, True, False)
    assert _answers(tmp_path / "file") == _answers(tmp_path / "link to file") == (True, False, True)


@pytest.mark.parametrize("name", ["missing", "link to nothing", "circle", "file/inside", "NUL\0byte", "missing/inside"])
def test_nothing_is_at_a_path_that_leads_nowhere(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link to nothing").symlink_to("nothing")
    (tmp_path / "circle").symlink_to("circle")
    assert _answers(tmp_path / name) == (False, False, False)


@pytest.mark.parametrize("ask", [exists, is_dir, is_file])
def test_a_path_of_which_the_system_cannot_tell_is_an_error(tmp_path: Path, ask: Callable[[Path], bool]) -> None:
    with pytest.raises(OSError, match="name too long"):
        ask(tmp_path / ("x" * 300))
