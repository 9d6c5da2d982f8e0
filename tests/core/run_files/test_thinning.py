"""Which steps are kept if there is not room for all."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from core.run_files.thinning import steps_to_keep


@given(st.lists(st.integers(0, 10_000), unique=True, min_size=1).map(sorted), st.integers(0, 30))
def test_as_many_steps_are_kept_as_fit_including_first_and_last(steps: list[int], max_kept: int) -> None:
    kept = steps_to_keep(steps, max_kept)
    assert len(kept) == min(max_kept, len(steps))
    assert set(kept) <= set(steps)
    if max_kept >= 1:
        assert kept[-1] == steps[-1]
    if max_kept >= 2:
        assert kept[0] == steps[0]


def test_the_kept_steps_of_a_long_run_grow_by_a_bounded_ratio() -> None:
    kept: list[int] = []
    for step in range(5000):
        kept = steps_to_keep([*kept, step], 20)
    assert (kept[0], kept[-1]) == (0, 4999)
    assert max((after + 1) / (before + 1) for before, after in pairwise(kept)) < 3
