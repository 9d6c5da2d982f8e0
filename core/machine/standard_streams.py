"""Standard streams that whoever called us had closed (`2>&-`)."""

import os
import sys


def open_closed_ones() -> None:
    """Have them lead nowhere: Python has None for them, and the next file that is opened would get their descriptors.

    Whatever Qt or torch warns of would be written into it, also by the processes that are started.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode)  # noqa: PTH123, SIM115 (it stays open)
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)
