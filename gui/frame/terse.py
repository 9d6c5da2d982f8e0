"""How little the transport says where there is little room."""

from __future__ import annotations

from enum import IntEnum


class Terse(IntEnum):
    """How much is left out until the bar fits into a row; each level adds to the last. Tooltips still say it all."""

    NOTHING = 0
    NAMES = 1  # the labels of seed and pace, and the number of planned steps
    STATE = 2  # its word; its mark stays
    PACE = 3  # the figure beside the slider, and the room for a long seed
    STEP = 4  # the newest step, and how many changes a branch takes over
    STEP_BUTTONS = 5  # while a branch is offered: they go on from the newest step instead
