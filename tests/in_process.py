"""Calls the command line in this process: in a separate one, each call takes two seconds to load torch.

Tests that need a process (of signals, memory limits, output pipes, loaded modules) use the fixture `headlight`.
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
    """Run `headlight ARGUMENTS` in this folder; return its exit code and output.

    `stdin` is the file descriptor of a pipe or terminal to read from; it is closed at the end.
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
