"""Keeps Python's garbage collector from stopping the event loop."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from core.events import Event, StateChanged, Trouble
from gui.bridge import EngineBridge


@contextmanager
def calm_collector(bridge: EngineBridge) -> Iterator[None]:
    """Within the block no collection walks what start-up made.

    A full collection walks every object alive, with the GIL held and in whichever thread it strikes: 190 ms once torch
    and pyqtgraph are imported. So none happens until the first run is ready, or fails to be; what is alive then is set
    aside, and the collections from then on walk only what came after.
    """

    def settle(events: list[Event]) -> None:
        if any(isinstance(event, Trouble) or _is_ready(event) for event in events):
            bridge.drained.disconnect(settle)
            gc.freeze()
            gc.enable()

    gc.disable()
    bridge.drained.connect(settle)
    try:
        yield
    finally:
        gc.unfreeze()
        gc.enable()


def _is_ready(event: Event) -> bool:
    return isinstance(event, StateChanged) and event.state not in ("empty", "preparing")
