"""Suspends Python's garbage collection where many objects are made that stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_suspended() -> Iterator[None]:
    """Suspend garbage collection inside the block: it took a fifth of importing torch, and a tenth of tokenising."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def gc_frozen_afterwards() -> Iterator[None]:
    """For importing torch: suspend collection inside the block, and keep it off the objects that exist afterwards.

    Torch alone is 160,000 objects that stay to the end. Each full search of them takes 0.1 to 0.2 s, and there are
    several even in a short command, the last as the process ends: a third of what `evaluate` took.
    A caller that has disabled collection (the window) freezes objects when it sees fit.
    """
    was_enabled = gc.isenabled()
    with gc_suspended():
        yield
        if was_enabled:
            gc.freeze()
