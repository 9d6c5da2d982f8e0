"""Whether a run's data are at hand."""

from __future__ import annotations

import pytest

from core.data.splits import has_pairs, pairs_unavailable


@pytest.mark.parametrize("num_pairs", [{"train": 3, "valid": 0}, {"train": None, "valid": 0}, {"train": 0, "test": 1}])
def test_some_pairs_of_any_split_are_enough(num_pairs: dict[str, int | None]) -> None:
    assert has_pairs(num_pairs)


@pytest.mark.parametrize("num_pairs", [{}, {"train": 0, "valid": 0}])
def test_without_any_there_are_none(num_pairs: dict[str, int | None]) -> None:
    assert not has_pairs(num_pairs)


def test_the_plugin_is_named_that_must_be_there() -> None:
    assert "its plugin 'mine' must give" in pairs_unavailable("mine")
