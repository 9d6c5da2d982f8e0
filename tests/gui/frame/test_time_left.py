"""Estimating the remaining time of a stage from its pace."""

import pytest

from core.events import Progress
from gui.frame import time_left
from gui.frame.time_left import TimeLeft


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock whose time is the list's element."""
    clock = [100.0]
    monkeypatch.setattr(time_left, "monotonic", lambda: clock[0])
    return clock


def test_the_time_left_follows_from_the_pace_of_the_stage(now: list[float]) -> None:
    follow, seconds = TimeLeft(), list[float | None]()
    for now[0], stage, done, total in (
        (100.0, "drawing", 10, 110),
        (100.9, "drawing", 20, 110),  # too early
        (102.0, "drawing", 30, 110),  # 10 a second
        (106.0, "drawing", 70, 130),  # more are expected now
        (107.0, "tokenising", 5, 50),  # another stage begins
        (109.0, "tokenising", 5, 50),  # nothing done since
        (111.0, "tokenising", 25, None),
        (112.0, "tokenising", 50, 50),
    ):
        seconds.append(follow.estimate(Progress(stage=stage, done=done, total=total)))
    assert seconds == [None, None, 8.0, 6.0, None, None, None, 0.0]
