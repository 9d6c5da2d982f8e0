"""The steps at which the model is probed and its weights are stored."""

from __future__ import annotations

from itertools import pairwise

import pytest

from core.training.probe_steps import is_probe_step, is_snapshot_step


def steps(probe_every: int, until: int) -> list[int]:
    return [step for step in range(until + 1) if is_probe_step(step, probe_every)]


@pytest.mark.parametrize(
    ("probe_every", "expected"),
    [
        (1, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        (2, [0, 1, 2, 3, 4, 5, 6, 8, 10]),
        (4, [0, 1, 2, 3, 4, 5, 8]),
        (10, [0, 1, 2, 3, 5, 8, 10]),
    ],
)
def test_early_probe_steps_are_fibonacci_numbers(probe_every: int, expected: list[int]) -> None:
    assert steps(probe_every, 10) == expected


def test_every_multiple_of_probe_every_is_a_probe_step() -> None:
    assert steps(10, 60) == [0, 1, 2, 3, 5, 8, 10, 13, 20, 30, 40, 50, 60]
    assert steps(40, 120) == [0, 1, 2, 3, 5, 8, 13, 21, 34, 40, 80, 120]


def test_a_run_of_any_length_begins_as_densely() -> None:
    for probe_every in range(1, 60):
        assert {0, 1, 2, 3, 5, 8, 13} <= set(steps(probe_every, 20))


def test_a_run_of_500_steps_has_over_a_hundred_probes() -> None:
    assert len(steps(5, 500)) > 100


def test_no_gap_between_probes_exceeds_probe_every() -> None:
    for probe_every in range(1, 60):
        found = steps(probe_every, 500)
        assert max(b - a for a, b in pairwise(found)) <= probe_every


def snapshots(room: int, probe_every: int, until: int) -> list[int]:
    kept: list[int] = []
    for step in steps(probe_every, until):
        if is_snapshot_step(step, kept[-1] if kept else None, room):
            kept.append(step)
    return kept


def test_small_weights_are_stored_at_every_probe() -> None:
    assert snapshots(800, 3, 300) == steps(3, 300)


def test_weights_that_hardly_fit_are_stored_rarely_and_too_large_ones_never() -> None:
    assert snapshots(1, 1, 60) == [0, 1, 3, 7, 15, 31]
    assert snapshots(0, 1, 60) == []
    assert 20 < len(snapshots(20, 1, 300)) < 100


def test_the_newest_snapshot_may_be_written_again() -> None:
    assert is_snapshot_step(31, 31, 1)
