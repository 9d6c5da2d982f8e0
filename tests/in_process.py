"""Calls the command line and pytest in this process: in a separate one, each call takes two seconds to load torch.

Tests that need a process (of signals, memory limits, output pipes, loaded modules) use the fixture `headlight`.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import main


def run_headlight(
    *arguments: object, cwd: Path, stdin: int | None = None, stdout: int | None = None, stderr: int | None = None
) -> CompletedProcess[str]:
    """Run `headlight ARGUMENTS` in this folder; return its exit code and output.

    `stdin` is the file descriptor of a pipe or terminal to read from; `stdout` and `stderr` are those of a pipe or
    device to write to, whose output is then not returned. All are closed at the end.
    """
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        if stdin is not None:
            patch.setattr(sys, "stdin", stack.enter_context(os.fdopen(stdin, encoding="utf-8")))
        streams: dict[str, TextIOWrapper[Any]] = {}
        for name, descriptor, buffering in (("stdout", stdout, -1), ("stderr", stderr, 1)):  # as Python opens them
            if descriptor is None:
                streams[name] = TextIOWrapper(BytesIO(), encoding="utf-8")
            else:
                streams[name] = stack.enter_context(os.fdopen(descriptor, "w", buffering, encoding="utf-8"))
            patch.setattr(sys, name, streams[name])
        patch.chdir(cwd)
        patch.setattr(sys, "argv", ["headlight", *map(str, arguments)])
        code = main.main()
        texts = {name: _text_of(stream) for name, stream in streams.items()}
        return CompletedProcess(sys.argv, code, **texts)


def run_pytest(*arguments: object, cwd: Path) -> CompletedProcess[str]:
    """Run `pytest ARGUMENTS` in this folder, as an author does whose environment has Headlight and no other plugin."""
    words = ["-W", "error", "-p", "core.testing", "-p", "no:faulthandler", *map(str, arguments)]
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as printed:
        patch.chdir(cwd)
        patch.setattr(sys, "path", [*sys.path])  # pytest adds the folders of the tests
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        code = pytest.main(words)
    return CompletedProcess(words, code, printed.getvalue())


def _text_of(stream: TextIOWrapper[Any]) -> str:
    """What was written to the stream, if it is one in memory."""
    stream.flush()
    if not isinstance(stream.buffer, BytesIO):
        return ""
    stream.seek(0)
    return stream.read()
