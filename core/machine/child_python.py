"""How a Python of our own is started: a plugin host, torchrun, whoever learns subwords."""

from __future__ import annotations

import os
from pathlib import Path

import core


def child_environment() -> dict[str, str]:
    """This process's own, with which a child finds our modules wherever it is started."""
    root = str(Path(core.__path__[0]).parent)
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))}
