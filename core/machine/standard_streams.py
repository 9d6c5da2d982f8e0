"""Standard streams that our caller closed (`2>&-`)."""

import os
import sys


def reopen_closed_streams() -> None:
    """Open closed streams on os.devnull: Python has None for them, and the next opened file would get their
    descriptors.

    The warnings of Qt or torch would then go into that file, and those of the processes we start.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode)  # noqa: PTH123, SIM115 (it stays open)
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)
