"""A path as people type it, and as they read it."""

import os.path
from pathlib import Path


def typed_path(text: str) -> Path:
    """With `~` as a home; as it stands where nobody knows that user, for which pathlib has an error of its own."""
    return Path(os.path.expanduser(text))  # noqa: PTH111


def from_home(path: Path) -> str:
    """As people write it: `~` stands for their home, which may be reached through a link."""
    for home in (Path.home(), Path.home().resolve()):
        if path.is_relative_to(home):
            return f"~/{path.relative_to(home).as_posix()}"
    return str(path)
