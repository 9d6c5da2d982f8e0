"""The command line as a terminal calls it, in this process: in one of its own each call loads torch for two seconds.

What needs a process (signals, limits, pipes, what is loaded) has one: the fixture `headlight`.
"""

from __future__ import annotations

import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import main


def called(*arguments: object, cwd: Path) -> CompletedProcess[str]:
    """`headlight ARGUMENTS`, called in this folder: its exit code, and what it wrote."""
    streams = {name: TextIOWrapper(BytesIO(), encoding="utf-8") for name in ("stdout", "stderr")}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        patch.setattr(sys, "argv", ["headlight", *map(str, arguments)])
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        code = main.main()
        written = {name: _written(stream) for name, stream in streams.items()}
        return CompletedProcess(sys.argv, code, **written)


def _written(stream: TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()
