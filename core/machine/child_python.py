"""How a Python of our own is started: a plugin host, torchrun, whoever learns subwords."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import core

if sys.platform == "win32":  # which has no sessions, and takes no notice of the wish for one
    _FLAGS = subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _FLAGS = 0


def start_apart(
    command: Sequence[str],
    *,
    stdin: int,
    stdout: int | IO[bytes] | None = None,
    stderr: int | IO[bytes],
    variables: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a Python that finds our modules in any folder, with `variables` in its environment beside our own.

    Ctrl-C in the terminal does not reach it: that is for the application, which then ends it.
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
        creationflags=_FLAGS,
    )
