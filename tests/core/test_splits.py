"""Whether a run's data are at hand."""

from __future__ import annotations

import pytest

from core.splits import why_no_pairs


@pytest.mark.parametrize("num_pairs", [{"train": 3, "valid": 0}, {"train": None, "valid": 0}, {"train": 0, "test": 1}])
def test_some_pairs_of_any_split_are_enough(num_pairs: dict[str, int | None]) -> None:
    assert why_no_pairs(num_pairs, "mine") == ""


@pytest.mark.parametrize("num_pairs", [{}, {"train": 0, "valid": 0}])
def test_without_any_the_plugin_is_named(num_pairs: dict[str, int | None]) -> None:
    assert why_no_pairs(num_pairs, "mine").endswith("make its plugin 'mine' available")
