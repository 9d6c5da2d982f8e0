"""Runs Python's garbage collector in the GUI thread only, and exempts the objects made at start-up."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QTimer

from core.events import Event, StateChanged, Trouble
from gui.bridge import EngineBridge

COLLECT_INTERVAL_MS = 1000


@contextmanager
def collecting_in_gui_thread(bridge: EngineBridge) -> Iterator[None]:
    """Turn automatic garbage collection off, and collect from this thread's event loop instead.

    Automatic collection runs in whichever thread triggers it. A widget destroyed in another thread takes one of Qt's
    locks and then waits for the GIL; if the GUI thread holds the GIL and waits for that lock, both wait for ever. This
    remains true until the process ends, so automatic collection is not turned on again at the end of the block.

    A full collection visits every live object, which takes 190 ms once torch and pyqtgraph are imported. So nothing is
    collected until the first run is ready, or has failed; the objects alive then are frozen, and later collections
    visit only newer ones.
    """

    def freeze_when_ready(events: list[Event]) -> None:
        if any(isinstance(event, Trouble) or _is_ready(event) for event in events):
            bridge.drained.disconnect(freeze_when_ready)
            gc.freeze()
            timer.start()

    gc.disable()
    timer = QTimer(interval=COLLECT_INTERVAL_MS)
    timer.timeout.connect(collect_due_generations)
    bridge.drained.connect(freeze_when_ready)
    try:
        yield
    finally:
        timer.stop()


def collect_due_generations() -> None:
    """Collect the generations that Python would have: the youngest one, and an older one every tenth time."""
    counts = zip(gc.get_count(), gc.get_threshold(), strict=True)
    due = [generation for generation, (count, threshold) in enumerate(counts) if count > threshold]
    if due:
        gc.collect(due[-1])


def _is_ready(event: Event) -> bool:
    return isinstance(event, StateChanged) and event.state not in ("empty", "preparing")
