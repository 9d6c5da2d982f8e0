"""Running out of memory or processes is reported as such, not as an internal error."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.machine.resource_errors import THREAD_LIMIT_MESSAGE, as_memory_error

ROOT = Path(__file__).parents[3]
COMMAND_WITH_LITTLE_MEMORY = """
import resource, sys
import {module}, core.plugins_host.host
from main import main
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 4_000_000,) * 2)  # less than the stack of a thread
sys.argv = ["headlight", *{words}]
sys.exit(main())
"""


COMMANDS = [  # this module uses memory, so it is loaded before the limit is set
    ("core.cli.plugins", ["plugins", "list"]),
    ("core.cli.train", ["train", "copy_task"]),
    ("gui.app", []),  # the window
]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux reports the memory in use")
@pytest.mark.parametrize(("module", "words"), COMMANDS)
def test_too_little_memory_for_a_thread_is_reported(tmp_path: Path, module: str, words: list[str]) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "HEADLIGHT_RUNS_DIR": str(tmp_path)}
    command = [sys.executable, "-c", COMMAND_WITH_LITTLE_MEMORY.format(module=module, words=words)]
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"headlight: {' '.join(THREAD_LIMIT_MESSAGE)}\n"
    assert "`ulimit -u unlimited` and `ulimit -v unlimited`" in result.stderr


@pytest.mark.parametrize(
    ("error", "is_recognised"),
    [
        (MemoryError(), True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
        (OSError(errno.EAGAIN, "Resource temporarily unavailable"), True),  # of starting a process
        (ImportError("Importing numpy failed: libopenblas.so: failed to map segment from shared object. See"), True),
        (RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory"), True),
        (RuntimeError("dictionary changed size during iteration"), False),
        (ImportError("No module named 'numpy'"), False),
        (OSError(errno.ENOENT, "No such file or directory"), False),
    ],
)
def test_only_memory_errors_are_recognised(error: Exception, is_recognised: bool) -> None:
    assert (as_memory_error(error) is not None) is is_recognised
