"""Converts paths from what people type, and to what they read."""

import os.path
from pathlib import Path

from core.at_path import real_path


def expand_home(text: str) -> Path:
    """The path with `~` expanded; unchanged if that user is unknown, for which pathlib would raise."""
    return Path(os.path.expanduser(text))  # noqa: PTH111


def shorten_home(path: Path) -> str:
    """The path as people write it, with `~` for their home, which may be reached through a link."""
    for home in (Path.home(), real_path(Path.home())):
        if path.is_relative_to(home):
            return f"~/{path.relative_to(home).as_posix()}"
    return str(path)
