"""Starts Python processes of our own: a plugin host, torchrun, subword learning."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import core

if sys.platform == "win32":  # it has no sessions, and ignores start_new_session
    _FLAGS = subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _FLAGS = 0


def start_python(
    command: Sequence[str],
    *,
    stdin: int,
    stdout: int | IO[bytes] | None = None,
    stderr: int | IO[bytes],
    variables: Mapping[str, str] | None = None,
    inherited: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a Python that finds our modules from any folder, with `variables` added to our environment.

    It gets the `inherited` file descriptors, too, except on Windows. Ctrl-C in the terminal does not reach it: the
    application handles that, and ends it.
    """
    root = str(Path(core.__path__[0]).parent)
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, **(variables or {})}
    return subprocess.Popen(
        command,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=environment,
        start_new_session=True,
        pass_fds=() if sys.platform == "win32" else inherited,
        creationflags=_FLAGS,
    )
