"""Collects Python's garbage in the GUI thread alone, and leaves what start-up made as it is."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QTimer

from core.events import Event, StateChanged, Trouble
from gui.bridge import EngineBridge

EVERY_MS = 1000


@contextmanager
def collecting_here(bridge: EngineBridge) -> Iterator[None]:
    """Garbage is collected by the event loop of this thread; from now on Python collects none by itself.

    By itself it does in whichever thread it strikes. A widget that another thread destroys takes a lock of Qt's and
    then waits for the GIL; where the GUI thread holds the GIL and waits for that lock, both wait for ever. That holds
    until the process ends, so it is not undone at the end of the block.

    A full collection walks every object alive, 190 ms once torch and pyqtgraph are imported. So none happens until the
    first run is ready, or fails to be; what is alive then is set aside, and later ones walk only what came after.
    """

    def settle(events: list[Event]) -> None:
        if any(isinstance(event, Trouble) or _is_ready(event) for event in events):
            bridge.drained.disconnect(settle)
            gc.freeze()
            timer.start()

    gc.disable()
    timer = QTimer(interval=EVERY_MS)
    timer.timeout.connect(collect_what_is_due)
    bridge.drained.connect(settle)
    try:
        yield
    finally:
        timer.stop()


def collect_what_is_due() -> None:
    """What Python would have collected: the youngest objects, and the older ones each tenth time."""
    counts = zip(gc.get_count(), gc.get_threshold(), strict=True)
    due = [generation for generation, (count, threshold) in enumerate(counts) if count > threshold]
    if due:
        gc.collect(due[-1])


def _is_ready(event: Event) -> bool:
    return isinstance(event, StateChanged) and event.state not in ("empty", "preparing")
