"""Refuses os.fork to plugins: a copy of the host process would answer in its place, or fork again for every pair."""

import sys
from typing import Any


def refuse_forks() -> None:
    """Let os.fork raise RuntimeError from now on, but for multiprocessing, whose processes end by themselves.

    Libraries derived from it keep the name of its module: multiprocess.popen_fork, billiard.popen_fork.
    """
    sys.addaudithook(_refuse)


def _refuse(event: str, _: tuple[Any, ...]) -> None:
    if event in ("os.fork", "os.forkpty") and not sys._getframe(1).f_globals["__name__"].endswith(".popen_fork"):
        raise RuntimeError(f"{event} would copy the process in which plugins run, and the copy would answer, too")
