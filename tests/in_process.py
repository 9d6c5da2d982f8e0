"""The command line as a terminal calls it, in this process: in one of its own each call loads torch for two seconds.

What needs a process (signals, limits of memory, pipes it writes to, what is loaded) has one: the fixture `headlight`.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from io import BytesIO, TextIOWrapper
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import main


def run_headlight(*arguments: object, cwd: Path, stdin: int | None = None) -> CompletedProcess[str]:
    """`headlight ARGUMENTS`, called in this folder: its exit code, and what it wrote.

    `stdin` is a descriptor to read from, of a pipe or a terminal, which is closed at the end.
    """
    streams = {name: TextIOWrapper(BytesIO(), encoding="utf-8") for name in ("stdout", "stderr")}
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        if stdin is not None:
            patch.setattr(sys, "stdin", stack.enter_context(os.fdopen(stdin, encoding="utf-8")))
        patch.chdir(cwd)
        patch.setattr(sys, "argv", ["headlight", *map(str, arguments)])
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        code = main.main()
        texts = {name: _text_of(stream) for name, stream in streams.items()}
        return CompletedProcess(sys.argv, code, **texts)


def _text_of(stream: TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()
