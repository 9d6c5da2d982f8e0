"""Marks that skip a test if this machine lacks a privilege; each privilege is tried once.

Being root is not enough: root in a container may neither mount nor trace.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence

import pytest

# Root without the capability to bypass file permissions.
UNPRIVILEGED = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all")
NOBODY = 65_534  # a user whose private files it may not read
WITHOUT_NETWORK = ("unshare", "--net")
_MOUNTING = ("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/")  # in a temporary mount namespace


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
