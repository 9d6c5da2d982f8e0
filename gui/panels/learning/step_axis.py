"""The end of the axis of steps. It grows in strides, since pyqtgraph lays out all texts again for each new range."""

from __future__ import annotations

import math

_SHORTEST = 20  # steps
_ROOM_FOR_NAMES = 1.06  # factor on the axis, so that a name fits after the end of its line
_STRIDES = (1, 2, 5, 10)


def axis_end(last_step: int, max_steps: int) -> float:
    """The end of the axis for a run at `last_step`: a round number, but never far beyond the last planned step."""
    needed = max(last_step, _SHORTEST) * _ROOM_FOR_NAMES
    planned = max_steps * _ROOM_FOR_NAMES
    power = 10 ** math.floor(math.log10(needed))
    end = next(power * stride for stride in _STRIDES if power * stride >= needed)
    return min(end, planned) if planned >= needed else end
