"""When tokens became right and were forgotten, compared with a token-by-token search."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.analysis.learned_when import NEVER, LearnedWhen, right_tokens
from tests.core.analysis.sentences import validated

STEPS = (10, 20, 30, 40)


def known(rows: list[list[bool]]) -> LearnedWhen:
    made = LearnedWhen()
    for step, row in zip(STEPS, rows, strict=False):
        made.add(step, np.array(row))
    return made


def test_right_tokens_are_those_of_rank_0() -> None:
    right = right_tokens([validated("a b", "", (0, 3, 0)), validated("c", "", (1, 0))])
    assert right.tolist() == [True, False, True, False, True]
    # A rank beyond int64, as a foreign file may have.
    assert right_tokens([validated("c", "", (10**30, 0))]).tolist() == [False, True]


def test_a_token_is_right_since_its_last_change_and_forgotten_when_it_went_wrong() -> None:
    learned = known(
        [
            [False, True, False, True],
            [True, True, False, False],
            [True, False, False, True],
            [True, False, False, False],
        ]
    )
    times = learned.at(45)
    assert times is not None
    assert times.right_since.tolist() == [20, NEVER, NEVER, NEVER]
    assert times.forgotten_at.tolist() == [NEVER, 30, NEVER, 40]
    assert times.times_forgotten.tolist() == [0, 1, 0, 2]
    earlier = learned.at(30)
    assert earlier is not None
    assert earlier.right_since.tolist() == [20, NEVER, NEVER, 30]


def test_before_the_first_validation_there_is_no_result() -> None:
    assert known([[True]]).at(9) is None


def test_a_removed_validation_does_not_count() -> None:
    learned = known([[True], [False]])

    def right_since() -> list[int]:
        times = learned.at(100)
        assert times is not None
        found: list[int] = times.right_since.tolist()
        return found

    assert right_since() == [NEVER]
    learned.remove(20)
    assert right_since() == [10]
    learned.add(20, np.array([False]))
    assert right_since() == [NEVER]
    learned.remove(10)
    assert right_since() == [NEVER]


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=4))
def test_the_times_equal_those_of_a_search_token_by_token(rows: list[list[bool]]) -> None:
    times = known(rows).at(100)
    assert times is not None
    for token in range(3):
        column = [row[token] for row in rows]
        start = len(column) - 1
        while start and column[start - 1] == column[-1]:
            start -= 1
        assert times.right_since[token] == (STEPS[start] if column[-1] else NEVER)
        assert times.forgotten_at[token] == (STEPS[start] if not column[-1] and any(column) else NEVER)
