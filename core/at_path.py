"""What is at a path, or an OSError where the system cannot tell: a folder that may not be entered, a drive that fails.

`Path.exists`, `is_dir` and `is_file` raise it, too, but from Python 3.14 on they take all that for nothing there.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_NOTHING_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


def exists(path: Path) -> bool:
    """Whether there is anything at a path."""
    return _mode(path) != 0


def is_dir(path: Path) -> bool:
    """Whether there is a folder, or a link to one."""
    return stat.S_ISDIR(_mode(path))


def is_file(path: Path) -> bool:
    """Whether there is a regular file, or a link to one."""
    return stat.S_ISREG(_mode(path))


def text_at(path: Path) -> str:
    """The text of a file; empty if there is none."""
    return path.read_text(encoding="utf-8") if exists(path) else ""


def real_path(path: Path) -> Path:
    """The path, absolute and free of links: a circular one stays, for which Path.resolve raises before Python 3.13."""
    return Path(os.path.realpath(path))


def _mode(path: Path) -> int:
    """The type and permissions of what is at a path; 0 if nothing is."""
    try:
        return path.stat().st_mode
    except OSError as error:
        if error.errno in _NOTHING_THERE:
            return 0
        raise
    except ValueError:  # a NUL byte, which no name has
        return 0
