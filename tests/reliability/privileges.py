"""Marks that skip a test if this machine lacks a privilege; each privilege is tried once.

Being root is not enough: root in a container may neither mount nor trace.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

# Root without the capability to bypass file permissions.
UNPRIVILEGED = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all")
NOBODY = 65_534  # a user whose private files it may not read
WITHOUT_NETWORK = ("unshare", "--net")
_MOUNTING = ("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/")  # in a temporary mount namespace

_CAPABILITIES_VERSION = 0x20080522  # of the kernel's structures: two sets of 32 capabilities
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1 << 1, 1 << 2


@contextmanager
def unprivileged() -> Iterator[None]:
    """Within the block, this thread and those it starts obey the permissions of files, also as root. Linux only."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)  # of this thread
    before, reduced = (ctypes.c_uint32 * 6)(), (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice

    def require_success(result: int) -> None:
        if result:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    require_success(libc.capget(header, before))
    reduced[:] = [before[0] & ~(_DAC_OVERRIDE | _DAC_READ_SEARCH), *before[1:]]
    require_success(libc.capset(header, reduced))
    try:
        yield
    finally:
        require_success(libc.capset(header, before))


def succeeds(command: Sequence[str]) -> bool:
    """Whether this command is installed and succeeds."""
    return shutil.which(command[0]) is not None and subprocess.run(command, capture_output=True).returncode == 0


def needs(reason: str, *commands: Sequence[str]) -> pytest.MarkDecorator:
    """Skip a test if one of these commands does not succeed."""
    return pytest.mark.skipif(not all(map(succeeds, commands)), reason=f"needs {reason}")


needs_strace = needs(
    "strace that can trace, to kill at a system call", ("strace", "--seccomp-bpf", "-fqq", "-o", "/dev/null", "true")
)
needs_mount = needs("root that can mount a disk", _MOUNTING)
needs_unprivileged_mount = needs("root that can mount a disk, and setpriv", _MOUNTING, (*UNPRIVILEGED, "true"))
needs_setpriv = needs("root, and setpriv", (*UNPRIVILEGED, "true"))
needs_prlimit = needs("prlimit", ("prlimit", "--as=1000000000", "true"))
needs_own_network = needs("root and unshare, for a namespace without a network", (*WITHOUT_NETWORK, "true"))
