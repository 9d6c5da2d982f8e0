"""Notes which files plugins write beside themselves, so that a check can name them."""

import os
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple


class WrittenFile(NamedTuple):
    """A file that was opened for writing, and the line of code in the same folder that did so."""

    path: str
    file: str
    line: int


_written: dict[str, WrittenFile] = {}


def watch_writing() -> None:
    """Note from now on what is opened for writing by code in the same folder."""
    sys.addaudithook(_note)


def written_beside(files: Collection[str]) -> list[WrittenFile]:
    """What has been written by the code in these files."""
    return [written for written in _written.values() if written.file in files]


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str) and arguments[2] & (os.O_WRONLY | os.O_RDWR):
        path = Path(arguments[0]).absolute()
        frame = sys._getframe(1)
        while frame is not None and Path(frame.f_code.co_filename).parent != path.parent:
            frame = frame.f_back  # type: ignore[assignment]
        if frame is not None:
            _written.setdefault(str(path), WrittenFile(str(path), frame.f_code.co_filename, frame.f_lineno))
