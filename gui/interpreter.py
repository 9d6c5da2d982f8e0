"""Keeps the window's Python from holding up the engine's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH_S = 0.0005


@contextmanager
def quick_to_yield() -> Iterator[None]:
    """Within the block a thread that waits for the interpreter is given it after half a millisecond, not after five.

    The engine's thread gives it back with each torch operation, and waits for it after each: while the window draws,
    that was a wait of up to five milliseconds. copy_task went from 92 to 95 % of the terminal's steps a second
    (medians of five, `benchmarks/window_cost.py`).
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
