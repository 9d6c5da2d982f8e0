"""Shortens the wait of the engine's thread for the GIL while the window draws."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH_INTERVAL_S = 0.0005


@contextmanager
def short_switch_interval() -> Iterator[None]:
    """Within the block a thread that waits for the GIL gets it after half a millisecond instead of five.

    The engine's thread releases the GIL in each torch operation and waits for it afterwards; while the window drew,
    each wait took up to five milliseconds. With this, copy_task went from 92 to 95 % of the terminal's steps a second
    (medians of five, `benchmarks/window_cost.py`).
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
