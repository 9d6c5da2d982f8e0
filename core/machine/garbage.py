"""Python's search for garbage, left out where much is made that leaves none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collections() -> Iterator[None]:
    """For the importing of torch it took a fifth of the time, for the cutting of texts into tokens a tenth."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def imported_for_good() -> Iterator[None]:
    """For the importing of torch: no collections, and afterwards none looks through what is there by then.

    Torch alone is 160,000 objects that stay to the end. Each full search of them takes 0.1 to 0.2 s, and there are
    several even in a short command, the last of them at the end of the process: a third of what `evaluate` took.
    Whoever has switched collections off (the window) sets aside when it sees fit.
    """
    was_enabled = gc.isenabled()
    with no_collections():
        yield
        if was_enabled:
            gc.freeze()
