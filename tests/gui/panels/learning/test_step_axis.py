"""Where the step axis ends."""

from __future__ import annotations

import pytest

from gui.panels.learning.step_axis import axis_end


@pytest.mark.parametrize(
    ("last_step", "max_steps", "end"),
    [
        (0, 5000, 50),  # never shorter than twenty steps and the labels
        (47, 5000, 50),
        (48, 5000, 100),
        (400, 5000, 500),
        (400, 400, 424),  # the run ends there, so no more room is needed
        (700, 400, 1000),  # a thousand steps more
        (0, 10, 50),
    ],
)
def test_the_end_is_round_and_beyond_the_last_step(last_step: int, max_steps: int, end: float) -> None:
    assert axis_end(last_step, max_steps) == pytest.approx(end)


def test_the_end_seldom_changes() -> None:
    assert len({axis_end(step, 10_000) for step in range(10_001)}) < 10
